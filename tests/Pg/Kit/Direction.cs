namespace Ioxide.Pg.Tests;

/// <summary>Which way bytes go.</summary>
internal enum Direction
{
    ToServer,
    ToClient,
}

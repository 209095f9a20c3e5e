namespace Ioxide.TestKit;

/// <summary>Which way bytes go.</summary>
internal enum Direction
{
    ToServer,
    ToClient,
}

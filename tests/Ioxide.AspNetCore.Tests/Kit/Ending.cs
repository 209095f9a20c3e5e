namespace Ioxide.AspNetCore.Tests;

/// <summary>How the peer ended the connection.</summary>
internal enum Ending
{
    Fin,
    Reset,
}

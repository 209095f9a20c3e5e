namespace Ioxide.TestKit;

/// <summary>How the peer ended the connection.</summary>
internal enum Ending
{
    Fin,
    Reset,
}

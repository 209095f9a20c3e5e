namespace Ioxide.AspNetCore.Tests;

/// <summary>The transport under a server: the framework's own, or the one that is compared with it.</summary>
public enum TransportKind
{
    Sockets,
    Ioxide,
}

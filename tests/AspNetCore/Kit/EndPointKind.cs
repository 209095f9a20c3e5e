namespace Ioxide.AspNetCore.Tests;

/// <summary>The address family that a server is bound to, always on loopback or in the temporary folder.</summary>
public enum EndPointKind
{
    IPv4,
    IPv6,
    Unix,
}

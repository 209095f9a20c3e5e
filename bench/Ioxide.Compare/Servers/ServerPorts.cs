namespace Ioxide.Compare.Servers;

/// <summary>The ports of one server: cleartext HTTP/1.1, then HTTPS, then cleartext HTTP/2.</summary>
internal readonly record struct ServerPorts(int Http)
{
    /// <summary>Below the range that the kernel hands out to clients, so that a load cannot take one.</summary>
    private const int First = 21000;

    private const int PerServer = 4;

    internal int Https => Http + 1;

    internal int Http2 => Http + 2;

    internal static ServerPorts OfServer(int index) => new(First + (index * PerServer));
}

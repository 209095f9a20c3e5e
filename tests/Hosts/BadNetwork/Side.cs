namespace Ioxide.BadNetworkHost;

/// <summary>What the same program runs on.</summary>
public enum Side
{
    /// <summary>Kestrel over sockets with its own HTTP/2, SslStream, SocketsHttpHandler and Npgsql.</summary>
    Stock,

    /// <summary>Reactors: UseIoxide, UseIoxideTls, UseIoxideHttp2, the handler's UseIoxide and Ioxide.Pg.</summary>
    Ioxide,
}

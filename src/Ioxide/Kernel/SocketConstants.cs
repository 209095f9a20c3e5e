namespace Ioxide;

/// <summary>Constants of socket(7), tcp(7), ipv6(7) and unix(7) on Linux.</summary>
internal static class SocketConstants
{
    internal const int FamilyUnix = 1;
    internal const int FamilyInternet = 2;
    internal const int FamilyInternet6 = 10;

    internal const int TypeStream = 1;
    internal const int CloseOnExec = 0x80000;
    internal const int NonBlocking = 0x800;

    internal const int LevelSocket = 1;
    internal const int OptionReuseAddress = 2;
    internal const int OptionKeepAlive = 9;
    internal const int OptionLinger = 13;
    internal const int OptionReusePort = 15;
    internal const int OptionAcceptsConnections = 30;

    internal const int LevelTcp = 6;
    internal const int OptionNoDelay = 1;
    internal const int OptionKeepAliveIdle = 4;
    internal const int OptionKeepAliveInterval = 5;
    internal const int OptionKeepAliveCount = 6;
    internal const int OptionUserTimeout = 18;

    /// <summary>struct tcp_info up to tcpi_bytes_acked, which lies at offset 120 since Linux 4.1.</summary>
    internal const int OptionTcpInfo = 11;
    internal const int TcpInfoBytes = 128;

    /// <summary>Records made by the kernel: linux/tls.h, Linux 4.13.</summary>
    internal const int OptionUpperLayer = 31;
    internal const int LevelTls = 282;
    internal const int TlsTransmit = 1;
    internal const int TlsSetRecordType = 1;

    internal const int LevelInternet6 = 41;
    internal const int OptionInternet6Only = 26;

    internal const int ShutdownWrite = 1;
    internal const int ShutdownBoth = 2;

    /// <summary>The whole request is sent, or the connection is over: no short sends on a stream.</summary>
    internal const uint MessageWaitAll = 0x100;
    internal const uint MessageNoSignal = 0x4000;

    /// <summary>The call does at once what it can, and returns.</summary>
    internal const uint MessageDoNotWait = 0x40;

    /// <summary>More follows at once: a partial segment waits for it.</summary>
    internal const uint MessageMore = 0x8000;

    internal const uint PollIn = 1;
    internal const uint PollOut = 4;
}

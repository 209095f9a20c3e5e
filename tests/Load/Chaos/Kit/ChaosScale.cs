namespace Ioxide.Chaos;

/// <summary>How much of everything: the promised counts in Release, enough to go through every path in Debug.</summary>
internal static class ChaosScale
{
#if DEBUG
    internal const int HeldConnections = 3_000;
    internal const int ChurnConnections = 10_000;
    internal const int RawChurnConnections = 5_000;
    internal const int AbusivePeers = 300;
    internal const int HandOvers = 4;
    internal const int HandOverRequests = 4_000;
    internal const int BalancedRequests = 2_000;
    internal const int Kills = 4;
    internal const int Freezes = 2;
    internal const int MessagesPerSender = 4;
    internal const int LoadSeconds = 2;
#else
    internal const int HeldConnections = 10_000;
    internal const int ChurnConnections = 100_000;
    internal const int RawChurnConnections = 30_000;
    internal const int AbusivePeers = 1_000;
    internal const int HandOvers = 20;
    internal const int HandOverRequests = 40_000;
    internal const int BalancedRequests = 10_000;
    internal const int Kills = 20;
    internal const int Freezes = 3;
    internal const int MessagesPerSender = 20;
    internal const int LoadSeconds = 4;
#endif

    /// <summary>More than the kernel keeps for a peer that does not read; tcp_wmem allows it 4 MiB.</summary>
    internal const int UnreadBytes = 6 * 1024 * 1024;

    /// <summary>Senders that share a tiny ring.</summary>
    internal const int Senders = 1_000;

    /// <summary>Connections under load beside whatever is going on.</summary>
    internal const int ActiveConnections = 64;
}

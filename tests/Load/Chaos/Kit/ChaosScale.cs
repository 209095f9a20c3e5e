namespace Ioxide.Chaos;

/// <summary>How much of everything: enough to go through every path, and with IOXIDE_CHAOS=full the promised counts of docs/trust.md.</summary>
internal static class ChaosScale
{
    /// <summary>More than the kernel keeps for a peer that does not read; tcp_wmem allows it 4 MiB.</summary>
    internal const int UnreadBytes = 6 * 1024 * 1024;

    /// <summary>Senders that share a tiny ring.</summary>
    internal const int Senders = 1_000;

    /// <summary>Connections under load beside whatever is going on.</summary>
    internal const int ActiveConnections = 64;

    internal static int HeldConnections { get; } = Of(3_000, 10_000);

    internal static int ChurnConnections { get; } = Of(10_000, 100_000);

    internal static int RawChurnConnections { get; } = Of(5_000, 30_000);

    internal static int AbusivePeers { get; } = Of(300, 1_000);

    internal static int HandOvers { get; } = Of(4, 20);

    internal static int HandOverRequests { get; } = Of(4_000, 40_000);

    internal static int BalancedRequests { get; } = Of(2_000, 10_000);

    internal static int Kills { get; } = Of(4, 20);

    internal static int Freezes { get; } = Of(2, 3);

    internal static int MessagesPerSender { get; } = Of(4, 20);

    internal static int LoadSeconds { get; } = Of(2, 4);

    private static int Of(int ordinary, int full) => Environment.GetEnvironmentVariable("IOXIDE_CHAOS") == "full" ? full : ordinary;
}

using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.Simulation;

/// <summary>What a run with HTTP/2 is like, beside what <see cref="Plan"/> says of the kernel and the reactor.</summary>
internal sealed class Http2Plan
{
    private const int DefaultWindow = 65_535;

    // Kestrel's own word for no timeout. These are of the machine's clock, which a run does not have.
    private static readonly TimeSpan s_forever = TimeSpan.FromDays(20);

    internal Http2Plan(Dice dice)
    {
        Base = new Plan(dice);
        Base.Connection.SendTimeout = null;
        Base.Connection.MinPageBytes = dice.Of<int>([1, 1000]);
        IsBulky = dice.Chance(100);
        InitialWindow = dice.Of<int>([1, 2, 16, 100, 1000, 16_384, DefaultWindow, dice.Between(1, DefaultWindow)]);
        LaterWindow = dice.Chance(300) ? dice.Of<int>([0, 1, 100, DefaultWindow, dice.Between(0, DefaultWindow)]) : null;
        Peers = dice.Between(1, 4);
        Exchanges = dice.Of<int>([1, 3, 8, 20]);
        StopsGracefullyAfterUs = dice.Chance(150) ? dice.Between(1, 5000) : null;
        StopsAfterUs = dice.Chance(120) ? dice.Between(1, 5000) : null;
        RunsOnPool = dice.Chance(150);
        var server = new KestrelServerOptions { AddServerHeader = dice.Chance(500) };
        server.Limits.MaxResponseBufferSize = dice.Of<long?>([0, 1, 100, 65_536, null]);
        server.Limits.MinRequestBodyDataRate = null;
        server.Limits.MinResponseDataRate = null;
        server.Limits.KeepAliveTimeout = s_forever;
        server.Limits.RequestHeadersTimeout = s_forever;
        server.Limits.Http2.MaxStreamsPerConnection = dice.Of<int>([1, 2, 5, 100]);
        server.Limits.Http2.InitialConnectionWindowSize = dice.Of<int>([DefaultWindow, 100_000, 1 << 20]);
        server.Limits.Http2.InitialStreamWindowSize = dice.Of<int>([DefaultWindow, 80_000]);
        Server = server;
    }

    internal Plan Base { get; }

    internal KestrelServerOptions Server { get; }

    internal bool IsBulky { get; }

    /// <summary>The peers' window for each answer.</summary>
    internal int InitialWindow { get; }

    /// <summary>Peers change it to this in the middle; null for never.</summary>
    internal int? LaterWindow { get; }

    internal int Peers { get; }

    /// <summary>The most requests of a peer.</summary>
    internal int Exchanges { get; }

    /// <summary>The host asks the connections to end then.</summary>
    internal int? StopsGracefullyAfterUs { get; }

    /// <summary>The reactor is stopped then, in the middle of everything.</summary>
    internal int? StopsAfterUs { get; }

    internal bool RunsOnPool { get; }

    /// <summary>A window of one byte takes a frame for each.</summary>
    internal int MostAnswerBytes => Math.Min(InitialWindow, LaterWindow is > 0 ? LaterWindow.Value : InitialWindow) switch
    {
        < 10 => 100,
        < 500 => 4000,
        _ => int.MaxValue,
    };
}

using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>A connection whose peer does not read and has little room, so that a large send stays in flight until the peer reads.</summary>
internal sealed class StalledPeer : IAsyncDisposable
{
    /// <summary>More than the kernel keeps for a peer that does not read.</summary>
    internal const int TooManyBytes = 12 * 1024 * 1024;

    private readonly LoopbackPair _pair;

    private StalledPeer(LoopbackPair pair) => _pair = pair;

    internal RingConnection Server => _pair.Server;

    internal Socket Client => _pair.Client;

    internal static async Task<StalledPeer> ConnectAsync(ReactorFixture fixture, RingConnectionOptions? options = null)
        => new(await LoopbackPair.ConnectAsync(fixture, options, receiveBufferBytes: 4096));

    internal static async Task<StalledPeer> ConnectAsync(RingConnectionOptions? options = null)
        => new(await LoopbackPair.ConnectAsync(options, receiveBufferBytes: 4096));

    internal Task OnReactor(Func<SendPipe, Task> test)
        => Server.Reactor.RunAsync(() => test(Server.Output)).Within(20.Seconds(), "the code on the reactor has ended");

    /// <summary>Aborts, because a peer that does not read would hold up the end.</summary>
    public ValueTask DisposeAsync()
    {
        Server.Abort();
        return _pair.DisposeAsync();
    }
}

using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tests;

/// <summary>
/// Reads and flushes that wait are resumed on the reactor, or on the thread pool where the connection says so; other connections of the
/// same options are the control.
/// </summary>
public class ResumeTests
{
    [Theory, AllValues]
    public async Task AReadIsResumedWhereItsConnectionSays(bool startsOnReactor)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        var options = new RingConnectionOptions();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture, options);
        await using LoopbackPair other = await LoopbackPair.ConnectAsync(fixture, options);
        pair.Server.ResumesOnThreadPool = true;

        Assert.Null(await ReadOneAsync(pair, startsOnReactor));
        Assert.Same(other.Server.Reactor, await ReadOneAsync(other, startsOnReactor));

        pair.Server.ResumesOnThreadPool = false;
        Assert.Same(pair.Server.Reactor, await ReadOneAsync(pair, startsOnReactor));
    }

    [Theory, AllValues]
    public async Task AFlushThatWaitsIsResumedWhereItsConnectionSays(bool onThreadPool)
    {
        await using StalledPeer pair = await StalledPeer.ConnectAsync();
        pair.Server.ResumesOnThreadPool = onThreadPool;
        byte[] sent = Payload.Of(StalledPeer.TooManyBytes);
        Task<Reactor?> writing = Task.Run(async () =>
        {
            pair.Server.Output.Write(sent);
            await pair.Server.Output.FlushAsync();
            Reactor? on = Reactor.Current;
            pair.Server.Output.Complete();
            return on;
        });
        Payload.AssertSame(sent, await pair.Client.ReceiveToEndAsync());
        Assert.Same(onThreadPool ? null : pair.Server.Reactor, await writing.Within(20.Seconds()));
    }

    /// <summary>Starts a read, lets a byte come, and tells on which reactor the reader goes on.</summary>
    private static async Task<Reactor?> ReadOneAsync(LoopbackPair pair, bool startsOnReactor)
    {
        TaskCompletionSource isReading = Waits.Signal();
        Func<Task<Reactor?>> read = async () =>
        {
            ValueTask<ReadResult> reading = pair.Server.Input.ReadAsync();
            isReading.SetResult();
            ReadResult result = await reading.ConfigureAwait(false);
            Reactor? on = Reactor.Current;
            pair.Server.Input.AdvanceTo(result.Buffer.End);
            return on;
        };
        Task<Reactor?> running = startsOnReactor ? pair.Server.Reactor.RunAsync(read) : Task.Run(read);
        await isReading.Task.Within(20.Seconds());
        await pair.Client.SendAllAsync(new byte[1]);
        return await running.Within(20.Seconds());
    }
}

using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Tests;

/// <summary>Each state machine says in one line what it does; a dump has the lines of all, also beside a reactor that does not turn.</summary>
public class DescribeTests() : ReactorTests(OneReactor)
{
    [Fact]
    public async Task AConnectionSaysWhatItsReaderItsSendAndItsEndWaitFor()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);
        string addresses = $"{pair.Server}: ";
        Task<string> Line() => Fixture[0].RunAsync(pair.Server.Describe);

        Assert.Equal($"{addresses}receive armed, 0 held, 0 B unread, reader is idle; send idle, 0 B queued; open since 0 s", await Line());

        ValueTask<ReadResult> read = await Fixture[0].RunAsync(() => pair.Server.Input.ReadAsync());
        Assert.Contains("reader waits", await Line(), StringComparison.Ordinal);

        await pair.Client.SendAllAsync(new byte[3]);
        ReadResult result = await read.AsTask().Within(20.Seconds());
        Assert.Contains("receive armed, 1 held, 3 B unread, reader is reading", await Line(), StringComparison.Ordinal);
        await Fixture[0].RunAsync(() => pair.Server.Input.AdvanceTo(result.Buffer.End));

        // More than socket buffers take, by a peer that reads nothing.
        ValueTask<FlushResult> flush = await Fixture[0].RunAsync(() => pair.Server.Output.WriteAsync(new byte[32 * 1024 * 1024]));
        await UntilAsync(Line, "sending, ");
        Assert.Contains(" B queued, flush waits; open since ", await Line(), StringComparison.Ordinal);

        await Fixture[0].RunAsync(() => pair.Server.Abort());
        await flush.AsTask().Within(20.Seconds());
        Assert.Contains(" since 0 s, aborted, reason Aborted", await Line(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AConnectionSaysThatItIsHalfClosed()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(Fixture);

        await pair.Server.Output.CompleteAsync();

        await UntilAsync(() => Fixture[0].RunAsync(pair.Server.Describe), "send idle, 0 B queued, finished; half closed since 0 s");
    }

    [Fact]
    public async Task ADumpHasEveryReactorListenerAndConnection()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture);

        string dump = await fixture.Group.DescribeAsync().Within(20.Seconds());

        Assert.StartsWith($"process {Environment.ProcessId}, ", dump, StringComparison.Ordinal);
        Assert.Contains("\nreactor 0: ", dump, StringComparison.Ordinal);
        Assert.Contains("\nreactor 1: ", dump, StringComparison.Ordinal);
        Assert.Contains($": {pair.Server}: receive armed, ", dump, StringComparison.Ordinal);
        Assert.Contains($"accepts on {pair.Client.RemoteEndPoint}: armed; 1 in flight, generation ", dump, StringComparison.Ordinal);
        Assert.Contains("wake-ups by other threads; 1 in flight", dump, StringComparison.Ordinal);
        Assert.DoesNotContain("left out", dump, StringComparison.Ordinal);
    }

    [Fact]
    public async Task OfAReactorThatComputesADumpHasWhatCanBeSeenFromOutside()
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        using var release = new Blocker();
        Task busy = fixture[1].RunAsync(() => release.Hold());
        try
        {
            string dump = await fixture.Group.DescribeAsync().Within(20.Seconds());

            Assert.Matches("\nreactor 1: in one turn for [0-9]+ ms; .*\n  it did not answer within 1 s", dump);
            Assert.Matches("\nreactor 0: .*\n  slot ", dump);
        }
        finally
        {
            release.Release();
            await busy.Within(20.Seconds());
        }
    }

    [Fact]
    public async Task AReactorThatAWaitBlocksDescribesItself()
    {
        using var released = new ManualResetEventSlim();
        Task blocked = Fixture[0].RunAsync(() => released.Wait());
        await Waits.Eventually(() => Fixture[0].Snapshot().BlockedTime > TimeSpan.Zero, 20.Seconds());
        try
        {
            string dump = await Fixture.Group.DescribeAsync().Within(20.Seconds());

            Assert.Matches("\nreactor 0: blocked for [0-9]+ ms by a wait in posted work; .*\n  slot ", dump);
        }
        finally
        {
            released.Set();
            await blocked.Within(20.Seconds());
        }
    }

    [Fact]
    public void ADumpIsBoundedAndSaysWhatItLeftOut()
    {
        var table = new OperationTable();
        for (int count = 0; count < 5; count++)
        {
            table.Add(new Target());
        }

        table.Remove(1);
        var text = new StringBuilder();
        table.Describe(text, most: 2);

        Assert.Equal(
            "  slot 0: Target; 0 in flight, generation 0\n  slot 2: Target; 0 in flight, generation 0\n  2 more are left out\n", text.ToString());
    }

    [Fact]
    public async Task AReactorThatEndedSaysSo()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        await fixture.DisposeAsync();

        Assert.Contains("\nreactor 0: ended; 0 connections", await fixture.Group.DescribeAsync().Within(20.Seconds()), StringComparison.Ordinal);
    }

    private static async Task UntilAsync(Func<Task<string>> line, string expected)
    {
        long started = Environment.TickCount64;
        string last = "";
        while (Environment.TickCount64 - started < 20_000)
        {
            last = await line();
            if (last.Contains(expected, StringComparison.Ordinal))
            {
                return;
            }

            await Task.Yield();
        }

        Assert.Fail($"'{expected}' is not in '{last}'");
    }

    private sealed class Target : ICompletionTarget
    {
        public void Complete(OperationKind kind, int result, uint flags)
        {
        }

        public void ReactorEnded(Exception reason)
        {
        }
    }
}

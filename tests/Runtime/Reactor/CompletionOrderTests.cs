using System.IO.Pipelines;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Ioxide.Tests;

/// <summary>The awaits that a completion ends are resumed, layer by layer, before the reactor takes the next completion, within limits.</summary>
public class CompletionOrderTests() : ReactorTests(OneReactor)
{
    [Fact]
    public async Task ALineOfAwaitsRunsBeforeTheNextConnectionOfTheSameTurn()
        => Assert.Equal(["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"], await ReadTwiceAsync(3));

    [Fact]
    public async Task ALongLineOfAwaitsDoesNotHoldUpTheNextConnection()
    {
        List<string> steps = await ReadTwiceAsync(1000);

        // The limit is 8. Where the kernel hands over the two in two turns, each turn between them takes one more.
        Assert.InRange(steps.IndexOf("b0"), 1, 100);
    }

    /// <summary>Two connections get bytes in one turn, and behind each read so many methods are resumed, one by the other.</summary>
    /// <returns>Their steps; a is the connection that came first: before Linux 6.12 that is the one that got its bytes last.</returns>
    private async Task<List<string>> ReadTwiceAsync(int layers)
    {
        await using LoopbackPair first = await LoopbackPair.ConnectAsync(Fixture);
        await using LoopbackPair second = await LoopbackPair.ConnectAsync(Fixture);
        List<(LoopbackPair Pair, int Layer)> steps = [];
        await Fixture[0].RunAsync(async () =>
        {
            Task a = ReadAsync(first, layers, steps).AsTask();
            Task b = ReadAsync(second, layers, steps).AsTask();
            await Task.Delay(1);
            first.Client.Send("x"u8, SocketFlags.None);
            second.Client.Send("x"u8, SocketFlags.None);
            await Task.WhenAll(a, b);
        }).Within(20.Seconds());
        return [.. steps.Select(step => $"{(step.Pair == steps[0].Pair ? "a" : "b")}{step.Layer}")];
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private static async ValueTask ReadAsync(LoopbackPair pair, int layer, List<(LoopbackPair Pair, int Layer)> steps)
    {
        if (layer > 0)
        {
            await ReadAsync(pair, layer - 1, steps);
        }
        else
        {
            ReadResult read = await pair.Server.Input.ReadAsync();
            pair.Server.Input.AdvanceTo(read.Buffer.End);
        }

        steps.Add((pair, layer));
    }
}

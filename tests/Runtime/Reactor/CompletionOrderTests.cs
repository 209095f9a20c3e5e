using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>Code that a completion resumes goes on behind its next awaits before the reactor takes the next completion, within limits.</summary>
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

    /// <summary>Two connections get bytes in one turn, and each of their readers yields a number of times behind its read.</summary>
    private async Task<List<string>> ReadTwiceAsync(int yields)
    {
        await using LoopbackPair first = await LoopbackPair.ConnectAsync(Fixture);
        await using LoopbackPair second = await LoopbackPair.ConnectAsync(Fixture);
        List<string> steps = [];
        await Fixture[0].RunAsync(async () =>
        {
            Task a = ReadAsync(first, "a");
            Task b = ReadAsync(second, "b");
            await Task.Delay(1);
            first.Client.Send("x"u8, SocketFlags.None);
            second.Client.Send("x"u8, SocketFlags.None);
            await Task.WhenAll(a, b);
        }).Within(20.Seconds());
        return steps;

        async Task ReadAsync(LoopbackPair pair, string name)
        {
            ReadResult read = await pair.Server.Input.ReadAsync();
            pair.Server.Input.AdvanceTo(read.Buffer.End);
            for (int step = 0; step < yields; step++)
            {
                steps.Add($"{name}{step}");
                await Task.Yield();
            }

            steps.Add($"{name}{yields}");
        }
    }
}

using System.Diagnostics;
using System.Net;

namespace Ioxide.Chaos;

/// <summary>
/// A thousand senders at once on a reactor with next to no receive buffers, or with next to no room for completions. Each round
/// sends on every connection before it reads on any.
/// </summary>
public class TinyRingTests
{
    private const int Threads = 8;
    private const int MessageBytes = 200;

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    [InlineData(16)]
    public async Task EveryMessageIsServedWhenBuffersAreFew(int buffers)
    {
        int seed = Seed.Print();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.ReceiveBufferCount = buffers;
            options.MaxReceiveBufferCount = buffers;
        });
        HostStats served = await ServeAsync(fixture, seed);
        Assert.True(served.BufferExhaustions > 0, "Buffers never ran out.");
    }

    [Fact]
    public async Task EveryMessageIsServedWhenCompletionsOverflow()
    {
        const int FewestEntries = 8;
        int seed = Seed.Print();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.SqEntries = FewestEntries;
            options.CqEntries = FewestEntries;
        });
        HostStats served = await ServeAsync(fixture, seed);
        Assert.True(served.CompletionOverflows > 0, "Completions never overflowed.");
    }

    private static async Task<HostStats> ServeAsync(ReactorFixture fixture, int seed)
    {
        int messages = ChaosScale.Senders * ChaosScale.MessagesPerSender;
        IPEndPoint endPoint = await fixture.ListenToManyAsync(async connection => await connection.Input.CopyToAsync(connection.Output));
        var peers = new Peer[ChaosScale.Senders];
        try
        {
            await Crew.ForEachAsync(peers.Length, Threads, index => peers[index] = Peer.Connect(endPoint)).Within(30.Seconds());
            await Waits.Eventually(() => fixture.Stats().Connections == peers.Length, 20.Seconds());
            HostStats before = fixture.Stats();
            long started = Stopwatch.GetTimestamp();
            await SendRoundsAsync(peers, seed).Within(60.Seconds(), "every message came back");
            double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
            HostStats after = fixture.Stats();
            double completions = (after.Completions - before.Completions) / (double)messages;
            double exhaustions = (after.BufferExhaustions - before.BufferExhaustions) / (double)messages;
            Figures.Print(
                $"{messages} messages of {peers.Length} senders in {seconds:F2} s, {after.BufferCount} buffers: {completions:F2} "
                + $"completions a message (its send is one), {exhaustions:F2} exhaustions a message, "
                + $"{after.CompletionOverflows - before.CompletionOverflows} overflows, {after.Rearms - before.Rearms} rearms");
            return after;
        }
        finally
        {
            foreach (Peer peer in peers)
            {
                peer?.Dispose();
            }
        }
    }

    private static async Task SendRoundsAsync(Peer[] peers, int seed)
    {
        using var barrier = new Barrier(Threads);
        await Crew.RunAsync(Threads, thread =>
        {
            byte[] message = new byte[MessageBytes];
            try
            {
                for (int round = 0; round < ChaosScale.MessagesPerSender; round++)
                {
                    barrier.SignalAndWait(Peer.PatienceMs);
                    for (int index = thread; index < peers.Length; index += Threads)
                    {
                        Payload.Fill(message, Seed.KeyOf(seed, index), (long)round * MessageBytes);
                        peers[index].Send(message);
                    }

                    for (int index = thread; index < peers.Length; index += Threads)
                    {
                        peers[index].ReadBytes(Seed.KeyOf(seed, index), (long)round * MessageBytes, MessageBytes);
                    }
                }
            }
            finally
            {
                barrier.RemoveParticipant();
            }
        });
    }
}

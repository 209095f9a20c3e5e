using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>
/// Scripts whose frames are spoilt: bits turned, bytes taken out, put in and cut off, frames repeated, left out and made up. Each connection ends,
/// the engine does not fail, and nothing of it stays.
/// </summary>
public class MutatedFrameTests
{
    private const int ConnectionsAtOnce = 4;
    private const int ConnectionsPerRound = 200;

    // For runs of many frames. Pools, the framework's array pool among them, grow to what the busiest moment needed: 14 MB after 1,000,000 frames, and
    // no more after 2,500,000.
    private const long PooledBytes = 16 << 20;
    private const long MostKeptBytesPerConnection = 64;

    // Sources of loopback, so that closed connections do not use up the ports of one.
    private const int Sources = 100;

    /// <summary><c>IOXIDE_HTTP2_FRAMES</c> says how many frames, <c>IOXIDE_HTTP2_FIRST</c> which connection is the first.</summary>
    [Fact]
    public async Task WhateverComesTheNextClientIsServed()
    {
        int count = Number("IOXIDE_HTTP2_FRAMES", 20_000);
        int connection = Number("IOXIDE_HTTP2_FIRST", 1);
        using UnobservedExceptions unobserved = UnobservedExceptions.Watch();
        ConcurrentQueue<WeakReference> connections = [];
        ConcurrentQueue<WeakReference> streams = [];
        await using Http2Host host = await StartAsync(connections, streams);
        LeakCheck open = LeakCheck.Start();
        long frames = 0;
        long? before = null;
        while (frames < count)
        {
            int next = connection;
            long[] sent = await Task.WhenAll(Enumerable.Range(0, ConnectionsAtOnce).Select(async lane =>
            {
                long sum = 0;
                for (int number = next + lane; number < next + ConnectionsPerRound; number += ConnectionsAtOnce)
                {
                    sum += await SpoilAsync(host.EndPoint, number);
                }

                return sum;
            }));
            frames += sent.Sum();
            connection += ConnectionsPerRound;
            using (FrameClient client = await host.ConnectAsync())
            {
                Assert.Equal("200", (await client.AskAsync(FrameClient.Request(1, "/do/early")))[0][":status"]);
            }

            Assert.DoesNotContain(host.Logs, static line => line.Event.Id == 5006);
            host.Logs.Clear();
            await open.AssertNoneLeftAsync(30.Seconds());
            await AssertNoneStaysAsync(connections, "connections");
            await AssertNoneStaysAsync(streams, "streams");
            before ??= GC.GetTotalMemory(forceFullCollection: true);
        }

        long kept = GC.GetTotalMemory(forceFullCollection: true) - before!.Value;
        TestContext.Current.SendDiagnosticMessage("{0} frames, {1} connections, {2} bytes kept", frames, connection - 1, kept);
        Assert.InRange(kept, long.MinValue, PooledBytes + (connection * MostKeptBytesPerConnection));
        unobserved.AssertNone();
    }

    private static Task<Http2Host> StartAsync(ConcurrentQueue<WeakReference> connections, ConcurrentQueue<WeakReference> streams)
        => Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Listen = listen => listen.Use(next => connection =>
            {
                connections.Enqueue(new WeakReference(connection));
                return next(connection);
            }),
            Handler = context =>
            {
                streams.Enqueue(new WeakReference(((HttpExchange)context.Features.GetRequiredFeature<IHttpRequestLifetimeFeature>()).Stream));
                return ScriptedApplication.RunAsync(context);
            },
        });

    /// <summary>Waits until the garbage collector has taken each of them.</summary>
    private static async Task AssertNoneStaysAsync(ConcurrentQueue<WeakReference> all, string what)
    {
        Assert.NotEmpty(all);
        int count = all.Count;
        int left = count;
        try
        {
            await Waits.Eventually(
                () =>
                {
                    GC.Collect();
                    GC.WaitForPendingFinalizers();
                    return (left = all.Count(static one => one.IsAlive)) == 0;
                },
                10.Seconds());
        }
        catch (TimeoutException)
        {
            Assert.Fail($"{left} of {count} {what} stay");
        }

        all.Clear();
    }

    /// <summary>Sends one spoilt script, and waits until the server has ended the connection. The number of its frames.</summary>
    private static async Task<int> SpoilAsync(IPEndPoint endPoint, int number)
    {
        Random random = new(number);
        Script script = new(number);
        List<byte[]> frames = [.. script.Acts.SelectMany(static act => act.Frames).Where(static frame => frame.Length > 0)];
        Spoil(random, frames);
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.Bind(new IPEndPoint(new IPAddress([127, 0, 0, (byte)(1 + (number % Sources))]), 0));
        await socket.ConnectAsync(endPoint).Within(30.Seconds());
        try
        {
            byte[] bytes = [.. Http2Connection.Preface, .. FrameClient.Settings((4, (uint)random.Next(0, 65_536))), .. frames.SelectMany(static frame => frame)];
            await socket.SendAsync(bytes).Within(30.Seconds());
            if (random.Next(4) == 0)
            {
                // A reset, while answers are on their way.
                socket.LingerState = new LingerOption(true, 0);
                return frames.Count;
            }

            socket.Shutdown(SocketShutdown.Send);
            byte[] read = new byte[16_384];
            while (await socket.ReceiveAsync(read).Within(60.Seconds(), $"connection {number} ends: {string.Join("; ", script.Acts.Select(static act => act.Name))}") > 0)
            {
            }
        }
        catch (SocketException)
        {
            // The server has ended it first.
        }

        return frames.Count;
    }

    private static void Spoil(Random random, List<byte[]> frames)
    {
        for (int index = 0; index < frames.Count; index++)
        {
            if (random.Next(3) > 0)
            {
                continue;
            }

            List<byte> frame = [.. frames[index]];
            switch (random.Next(9))
            {
                case 0:
                    frames.RemoveAt(index);
                    continue;
                case 1:
                    frames.Insert(index, [.. frame]);
                    continue;
                case 2:
                    frame.RemoveAt(random.Next(frame.Count));
                    break;
                case 3:
                    frame.Insert(random.Next(frame.Count), (byte)random.Next(256));
                    break;
                case 4:
                    frame.RemoveRange(random.Next(frame.Count), 1);
                    break;
                case 5:
                    // The type, the flags, or the stream.
                    frame[random.Next(3, Http2FrameHeader.SizeInBytes)] = (byte)random.Next(random.Next(2) == 0 ? 10 : 256);
                    break;
                case 6:
                    frame.Clear();
                    byte[] payload = new byte[random.Next(0, 40)];
                    random.NextBytes(payload);
                    frame.AddRange(FrameClient.Frame((Http2FrameType)random.Next(11), (Http2FrameFlags)random.Next(256), random.Next(0, 12), payload));
                    break;
                default:
                    for (int turns = random.Next(1, 4); turns > 0; turns--)
                    {
                        // Mostly behind the frame's header, so that what follows is still read as frames.
                        int first = frame.Count > Http2FrameHeader.SizeInBytes && random.Next(4) > 0 ? Http2FrameHeader.SizeInBytes : 0;
                        frame[random.Next(first, frame.Count)] ^= (byte)(1 << random.Next(8));
                    }

                    break;
            }

            frames[index] = [.. frame];
        }
    }

    private static int Number(string variable, int otherwise)
        => Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}

using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Bytes, end, reset, time-outs and the closed token of a connection reach the application in one order, wherever it runs: a generated
/// matrix of clients' scripts and handlers' reads, over the sockets transport and over each mode of scheduling.
/// </summary>
/// <remarks>
/// <c>IOXIDE_ORDER_RUNS</c> is the number of scripts of each mode.
/// Takes 4 s per mode: the limits of time among its events are 2 s.
/// </remarks>
public class EventOrderTests
{
    private const int RunsPerMode = 200;
    private const int Together = 24;

    private static readonly EventScript[] s_scripts = [.. Enumerable.Range(0, Runs()).Select(EventScript.Draw)];

    // One run is what all modes are compared with.
    private static readonly Lazy<Task<(EventScript Script, SeenEvents Seen)[]>> s_stock = new(static () => RunAsync(Mode.Sockets, s_scripts));

    // The first connections wait for code to be compiled; an emulated processor takes longer for it than the token's patience.
    private static readonly Lazy<Task> s_compiled = new(static () => RunAsync(Mode.Adaptive, [.. s_scripts.Take(Together)]));

    /// <summary>Where the handler runs.</summary>
    public enum Mode
    {
        Sockets,
        Adaptive,
        Inline,
        ThreadPool,
        RunOnThreadPool,
        RunOnReactor,
    }

    [Theory, Each(Mode.Adaptive, Mode.Inline, Mode.ThreadPool, Mode.RunOnThreadPool, Mode.RunOnReactor)]
    public async Task ATokenNeverOvertakesWhatCameBeforeIt(Mode mode)
    {
        (EventScript Script, SeenEvents Seen)[] stock = await s_stock.Value;
        await s_compiled.Value;
        (EventScript Script, SeenEvents Seen)[] ours = await RunAsync(mode, s_scripts);

        string report = $"{Summary("sockets", stock)}\n{Summary($"{mode}", ours)}";
        TestContext.Current.TestOutputHelper?.WriteLine(report);
        string wrong = $"{report}\n{string.Join('\n', ours.Where(IsWrong).Take(40))}";
        Assert.DoesNotContain(ours, static run => run.Seen.Bytes != run.Script.LengthBytes || !run.Seen.IsTold || run.Seen.WrongCancels > 0);

        // A busy machine may take a worker's processor between a result and the next read, on either transport.
        Assert.True(ours.Count(IsWrong) <= stock.Count(IsWrong) / 50, wrong);
    }

    private static int Runs()
        => Environment.GetEnvironmentVariable("IOXIDE_ORDER_RUNS") is { Length: > 0 } text
            ? int.Parse(text, CultureInfo.InvariantCulture)
            : Scale.Of(RunsPerMode);

    private static bool IsWrong((EventScript Script, SeenEvents Seen) run)
        => run.Seen.Bytes != run.Script.LengthBytes
            || (run.Seen.End != run.Script.ExpectedEnd && !(run.Script.MayEndCancelled && run.Seen.End == "cancelled"))
            || !run.Seen.IsTold
            || run.Seen.WrongCancels > 0;

    private static string Summary(string side, (EventScript Script, SeenEvents Seen)[] runs)
    {
        StringBuilder text = new StringBuilder().Append(CultureInfo.InvariantCulture, $"{side}: {runs.Count(IsWrong)} of {runs.Length} differ");
        foreach (var group in runs.GroupBy(run => (run.Script.End, run.Script.ExpectedEnd)))
        {
            text.Append(
                CultureInfo.InvariantCulture, $"; {group.Key}: lost bytes in {group.Count(run => run.Seen.Bytes < run.Script.LengthBytes)}, ");
            text.AppendJoin(' ', group.GroupBy(run => run.Seen.End).Select(ends => $"{ends.Key} {ends.Count()}"));
        }

        text.Append(
            CultureInfo.InvariantCulture,
            $"; no token {runs.Count(run => !run.Seen.IsTold)}, wrong cancels {runs.Count(run => run.Seen.WrongCancels > 0)}");
        return text.ToString();
    }

    private static async Task<(EventScript, SeenEvents)[]> RunAsync(Mode mode, EventScript[] scripts)
    {
        EventHandler[] handlers = [.. scripts.Select(script => new EventHandler(script))];
        await using TestServer server = await StartAsync(mode, handlers);
        var results = new (EventScript, SeenEvents)[scripts.Length];
        await Parallel.ForEachAsync(
            Enumerable.Range(0, scripts.Length),
            new ParallelOptions { MaxDegreeOfParallelism = Together, CancellationToken = TestContext.Current.CancellationToken },
            async (index, _) =>
            {
                EndPoint endPoint = server.EndPoints[scripts[index].As == ServedAs.Raw ? 1 : 0];
                using RawClient client = await RawClient.ConnectAsync(endPoint);
                await PlayAsync(client, scripts[index], handlers[index].Begun.Task);
                results[index] = (scripts[index], await handlers[index].Seen.WaitAsync(30.Seconds(), CancellationToken.None));
            });
        return results;
    }

    private static Task<TestServer> StartAsync(Mode mode, EventHandler[] handlers)
    {
        async Task ServeAsync(HttpContext context)
            => await handlers[int.Parse((string)context.Request.RouteValues["number"]!, CultureInfo.InvariantCulture)].ServeAsync(context);

        return TestServer.StartAsync(new(mode == Mode.Sockets ? TransportKind.Sockets : TransportKind.Ioxide)
        {
            ExpectsErrors = true,
            Builder = static builder => builder.Services.AddRouting(),
            Ioxide = options => options.ApplicationScheduling = mode switch
            {
                Mode.Inline => ApplicationScheduling.Inline,
                Mode.ThreadPool => ApplicationScheduling.ThreadPool,
                _ => ApplicationScheduling.Adaptive,
            },
            Kestrel = static kestrel =>
            {
                kestrel.Limits.MinRequestBodyDataRate = new MinDataRate(240, TimeSpan.FromSeconds(2));
                kestrel.Limits.KeepAliveTimeout = TimeSpan.FromSeconds(2);
            },
            Map = app =>
            {
                IEndpointConventionBuilder endpoint = app.Map("/{number}", ServeAsync);
                _ = mode switch
                {
                    Mode.RunOnThreadPool => endpoint.RunOnThreadPool(),
                    Mode.RunOnReactor => endpoint.RunOnReactor(),
                    _ => endpoint,
                };
            },
            Bind = kestrel =>
            {
                kestrel.Listen(IPAddress.Loopback, 0);
                kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Use(_ => async connection =>
                {
                    // The first line is the number of the script.
                    string line = "";
                    while (!line.EndsWith('\n'))
                    {
                        System.IO.Pipelines.ReadResult read = await connection.Transport.Input.ReadAsync();
                        line += (char)read.Buffer.FirstSpan[0];
                        connection.Transport.Input.AdvanceTo(read.Buffer.GetPosition(1));
                    }

                    await handlers[int.Parse(line, CultureInfo.InvariantCulture)].ServeAsync(connection);
                }));
            },
        });
    }

    private static async Task PlayAsync(RawClient client, EventScript script, Task begun)
    {
        byte[] content = [.. Enumerable.Range(0, script.LengthBytes).Select(static index => (byte)index)];
        int promised = script.LengthBytes + (script.IsWhole ? 0 : 5000);
        string head = script.As switch
        {
            ServedAs.Upgraded => $"GET /{script.Number} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n",
            ServedAs.Body => $"POST /{script.Number} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {promised}\r\n\r\n",
            ServedAs.Chunked => $"POST /{script.Number} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
            _ => $"{script.Number}\n",
        };
        await client.SendAsync(head);
        if (script.As == ServedAs.Upgraded)
        {
            await client.ReadHeadAsync();
        }

        if (!script.IsAtOnce)
        {
            await begun.Within(20.Seconds(), $"the handler of {script} reads");
        }

        for (int offset = 0; offset < content.Length; offset += script.PieceBytes)
        {
            ReadOnlyMemory<byte> piece = content.AsMemory(offset, Math.Min(script.PieceBytes, content.Length - offset));
            if (script.As == ServedAs.Chunked)
            {
                bool isLast = offset + piece.Length == content.Length;
                piece = (byte[])[
                    .. Encoding.ASCII.GetBytes($"{piece.Length:x}\r\n"), .. piece.Span, .. "\r\n"u8,
                    .. isLast && script.IsWhole ? "0\r\n\r\n"u8 : default];
            }

            await client.SendAsync(piece);
        }

        if (script.PausesBeforeEnd)
        {
            await Task.Delay(2);
        }

        switch (script.End)
        {
            case PeerEnd.Fin:
                client.Finish();
                break;
            case PeerEnd.Reset:
                client.Reset();
                return;
            default:
                break;
        }

        // Until the server ends the connection.
        Ended ended = await client.ReadToEndAsync().WaitAsync(30.Seconds());
        if (script.As == ServedAs.Raw)
        {
            Assert.Equal(EventScript.Answer, ended.Bytes);
        }
        else if (script.End == PeerEnd.Silence)
        {
            // The handler has swallowed the exception of a body that was too slow.
            Assert.StartsWith("HTTP/1.1 200", Encoding.ASCII.GetString(ended.Bytes), StringComparison.Ordinal);
            Assert.Equal(Ending.Fin, ended.Ending);
        }
    }
}

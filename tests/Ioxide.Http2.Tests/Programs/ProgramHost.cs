using System.Collections.Concurrent;
using System.Globalization;
using System.Text.RegularExpressions;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>A host that runs programs, on stock Kestrel or on the engine.</summary>
internal sealed partial class ProgramHost(Http2Host host) : IAsyncDisposable
{
    private static readonly TimeSpan s_limit = 5.Seconds();

    private static readonly ConcurrentDictionary<int, ProgramSession> s_sessions = new();
    private static int s_sessionCount;

    private readonly ConcurrentDictionary<string, ConcurrentQueue<string>> _logged = new();

    internal static async Task<ProgramHost> StartAsync(bool isEngine)
        => new(await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngine,
            ExpectsErrors = true,
            Map = static app =>
            {
                _ = app.Map("/reactor/{id:int}", RunAsync).RunOnReactor();
                _ = app.Map("/pool/{id:int}", RunAsync).RunOnThreadPool();
                _ = app.Map("/second", static context => context.Response.WriteAsync("second"));
            },
            Kestrel = static kestrel =>
            {
                kestrel.Limits.MinRequestBodyDataRate = null;
                kestrel.Limits.MinResponseDataRate = null;
                kestrel.Limits.MaxRequestBodySize = 60_000;
            },
        }));

    /// <summary>Runs the program, and gives what its client, its handler and the log saw.</summary>
    internal async Task<string> RunAsync(HandlerProgram program)
    {
        int id = Interlocked.Increment(ref s_sessionCount);
        await using ProgramClient client = await ProgramClient.ConnectAsync(host.EndPoint, program.Window);
        ProgramSession session = s_sessions[id] = new ProgramSession(program, step => client.ActAsync(1, program, step));
        try
        {
            string path = string.Create(CultureInfo.InvariantCulture, $"/{(program.Mode == ProgramMode.Pool ? "pool" : "reactor")}/{id}");
            ProgramAnswer answer = await client.SendAsync(1, path, program);
            Task both = Task.WhenAll(session.Over, answer.Ended);
            if (await Task.WhenAny(both, Task.Delay(s_limit)) != both)
            {
                return $"{Lines(session.Notes)}\n  without an end: handler {session.Over.IsCompleted}, answer {answer}";
            }

            // A request that is not complete is reset behind its answer.
            _ = await Task.WhenAny(answer.WasReset, Task.Delay(program.IsClientDone ? 0 : 1000));
            await client.SyncAsync([]);
            string first = answer.ToString();
            if (session.Kept is { } kept)
            {
                await kept.UseAsync(session);
            }

            ProgramAnswer second = await client.SendAsync(3, "/second", HandlerProgram.Plain);
            await second.Ended.Within(20.Seconds());
            return $"{Lines([.. session.Notes, .. TakeLogged(session.ConnectionId)])}\n  answer {first}\n  second {second}";
        }
        finally
        {
            _ = s_sessions.TryRemove(id, out _);
        }
    }

    /// <summary>What was logged of the connection. Kestrel's line of fields that it took out names none.</summary>
    private ConcurrentQueue<string> TakeLogged(string? connectionId)
    {
        const int FieldsRemoved = 41;
        while (host.Logs.TryDequeue(out LogLine? line))
        {
            if (line.Level >= LogLevel.Warning && line.Event.Id != FieldsRemoved && Connection().Match(line.Message) is { Success: true } match)
            {
                _logged.GetOrAdd(match.Value, static _ => new()).Enqueue(
                    $"log {line.Category} {line.Event.Id} {line.Level} {(line.Exception is null ? line.Message : ProgramSession.Describe(line.Exception))}");
            }
        }

        return connectionId is not null && _logged.TryRemove($"\"{connectionId}\"", out ConcurrentQueue<string>? lines) ? lines : new();
    }

    [GeneratedRegex("(?<=Connection id )\"[^\"]+\"")]
    private static partial Regex Connection();

    public ValueTask DisposeAsync() => host.DisposeAsync();

    private static string Lines(IEnumerable<string> lines) => string.Join('\n', lines.Select(static line => $"  {line}"));

    private static Task RunAsync(HttpContext context)
        => ProgramRun.RunAsync(context, s_sessions[int.Parse((string)context.Request.RouteValues["id"]!, CultureInfo.InvariantCulture)]);
}

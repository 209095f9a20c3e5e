using System.Collections.Concurrent;
using System.Globalization;
using System.Security.Cryptography.X509Certificates;
using System.Text.RegularExpressions;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Ioxide.Http2.Tests;

/// <summary>A host that runs programs, on stock Kestrel or on the engine.</summary>
internal sealed partial class ProgramHost(ProgramPlace place, Http2Host host, ConnectionEnds ends) : IAsyncDisposable
{
    // Over HTTP/1.1 how much a read finds is a matter of time in some places, and with it how far a body is read before it counts as too large.
    private const int MaxBodyBytes = 60_000;
    private const int MaxHttp1BodyBytes = 200_000;

    private static readonly Lazy<X509Certificate2> s_certificate = new(static () => CertificateMaker.SelfSigned());
    private static readonly ConcurrentDictionary<int, ProgramSession> s_sessions = new();
    private static int s_sessionCount;

    // Under the lock: a line that one run takes out of the host's may be another run's.
    private readonly Dictionary<string, List<string>> _logged = [];

    // The other request's answer is always the cached one where there is a cache.
    private readonly ConcurrentDictionary<string, Lazy<Task>> _cached = new();

    internal ProgramPlace Place => place;

    /// <summary>Ioxide or stock Kestrel in this place; HTTP/1.1 is Kestrel's own, over the ring or over sockets.</summary>
    internal static async Task<ProgramHost> StartAsync(ProgramPlace place, bool isOurs)
    {
        ConnectionEnds ends = new();
        return new(place, await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isOurs && !place.IsHttp1,
            IsTransport = isOurs,
            ExpectsErrors = true,
            Protocols = place.IsHttp1 ? HttpProtocols.Http1 : HttpProtocols.Http2,
            Services = place.HasMiddleware ? ProgramPipeline.AddServices : null,
            Map = app =>
            {
                if (place.HasMiddleware)
                {
                    ProgramPipeline.Use(app);
                }

                _ = app.Map("/reactor/{id:int}", RunAsync).RunOnReactor();
                _ = app.Map("/pool/{id:int}", RunAsync).RunOnThreadPool();
                _ = app.Map("/second", static context => context.Response.WriteAsync("second"));
            },
            Kestrel = kestrel =>
            {
                kestrel.Limits.MinRequestBodyDataRate = null;
                kestrel.Limits.MinResponseDataRate = null;
                kestrel.Limits.MaxRequestBodySize = place.IsHttp1 ? MaxHttp1BodyBytes : MaxBodyBytes;
            },
            Listen = listen =>
            {
                ends.Watch(listen);
                _ = !place.IsTls ? listen : isOurs ? listen.UseIoxideTls(s_certificate.Value) : listen.UseHttps(s_certificate.Value);
            },
        }), ends);
    }

    /// <summary>Runs the program, and gives what its client, its handler and the log saw.</summary>
    /// <param name="program">What runs.</param>
    /// <param name="stock">What stock saw of it; null where this is stock.</param>
    /// <param name="run">Which run of stock this is.</param>
    internal async Task<ProgramSeen> RunAsync(HandlerProgram program, ProgramSeen? stock, int run = 1)
    {
        string other = place.Path("/second", program);
        if (place.Middleware(program).HasFlag(ProgramMiddleware.Cache))
        {
            await _cached.GetOrAdd(other, _ => new(() => AskAsync(other, program))).Value;
        }

        int id = Interlocked.Increment(ref s_sessionCount);
        IProgramClient client = await ConnectAsync(program);
        ProgramSession session = s_sessions[id] = new ProgramSession(program, place, client, stock, run);
        try
        {
            string? first, second;
            await using (client)
            {
                string path = string.Create(CultureInfo.InvariantCulture, $"/{(program.Mode == ProgramMode.Pool ? "pool" : "reactor")}/{id}");
                first = await client.AskAsync(place.Path(path, program), session);
                if (first is null)
                {
                    return new(Lines(session.Notes), HasEnd: false, session.IsElsewhere, session.IsStuck);
                }

                if (session.Kept is { } kept)
                {
                    // Behind the callbacks that say so the host takes its context back, and middleware's stream looks at that first.
                    await Waits.Eventually(() => kept.IsContextOver, 10.Seconds());
                    await kept.UseAsync(session);
                }

                second = await client.AskAgainAsync(other, session);
            }

            IEnumerable<string> logged = TakeLogged(await ends.EndedAsync(client.Port));
            return new($"{Lines([.. session.Notes, .. logged])}\n  answer {first}\n  second {second}", HasEnd: true, session.IsElsewhere, session.IsStuck);
        }
        finally
        {
            _ = s_sessions.TryRemove(id, out _);
        }
    }

    private async Task<IProgramClient> ConnectAsync(HandlerProgram program)
        => place.IsHttp1
            ? await Http1ProgramClient.ConnectAsync(host.EndPoint, place, program)
            : await Http2ProgramClient.ConnectAsync(host.EndPoint, place, program);

    private async Task AskAsync(string path, HandlerProgram program)
    {
        await using IProgramClient client = await ConnectAsync(program);
        _ = await client.AskAgainAsync(path, new ProgramSession(program, place, client, stock: null, run: 1));
    }

    /// <summary>What was logged of a connection that is over. Kestrel's line of fields that it took out names none.</summary>
    private List<string> TakeLogged(string connectionId)
    {
        const int FieldsRemoved = 41;
        lock (_logged)
        {
            while (host.Logs.TryDequeue(out LogLine? line))
            {
                if (line.Level >= LogLevel.Warning && line.Event.Id != FieldsRemoved && Connection().Match(line.Message) is { Success: true } match)
                {
                    if (!_logged.TryGetValue(match.Value, out List<string>? lines))
                    {
                        _logged[match.Value] = lines = [];
                    }

                    lines.Add(
                        $"log {line.Category} {line.Event.Id} {line.Level} {(line.Exception is null ? line.Message : ProgramSession.Describe(line.Exception))}");
                }
            }

            return _logged.Remove($"\"{connectionId}\"", out List<string>? all) ? all : [];
        }
    }

    [GeneratedRegex("(?<=Connection id )\"[^\"]+\"")]
    private static partial Regex Connection();

    public ValueTask DisposeAsync() => host.DisposeAsync();

    private static string Lines(IEnumerable<string> lines) => string.Join('\n', lines.Select(static line => $"  {line}"));

    private static Task RunAsync(HttpContext context)
        => ProgramRun.RunAsync(context, s_sessions[int.Parse((string)context.Request.RouteValues["id"]!, CultureInfo.InvariantCulture)]);
}

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
internal sealed partial class ProgramHost(ProgramPlace place, Http2Host host) : IAsyncDisposable
{
    internal const int MaxBodyBytes = 60_000;

    private static readonly Lazy<X509Certificate2> s_certificate = new(static () => CertificateMaker.SelfSigned());
    private static readonly ConcurrentDictionary<int, ProgramSession> s_sessions = new();
    private static int s_sessionCount;

    private int _withoutEnd;
    private readonly ConcurrentDictionary<string, ConcurrentQueue<string>> _logged = new();

    internal ProgramPlace Place => place;

    /// <summary>Runs that had no end.</summary>
    internal int WithoutEnd => _withoutEnd;

    /// <summary>Ioxide or stock Kestrel in this place; HTTP/1.1 is Kestrel's own, over the ring or over sockets.</summary>
    internal static async Task<ProgramHost> StartAsync(ProgramPlace place, bool isOurs)
        => new(place, await Http2Host.StartAsync(new Http2Setup
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
            Kestrel = static kestrel =>
            {
                kestrel.Limits.MinRequestBodyDataRate = null;
                kestrel.Limits.MinResponseDataRate = null;
                kestrel.Limits.MaxRequestBodySize = MaxBodyBytes;
            },
            Listen = listen => _ = !place.IsTls ? listen : isOurs ? listen.UseIoxideTls(s_certificate.Value) : listen.UseHttps(s_certificate.Value),
        }));

    /// <summary>Runs the program, and gives what its client, its handler and the log saw.</summary>
    internal async Task<string> RunAsync(HandlerProgram program)
    {
        int id = Interlocked.Increment(ref s_sessionCount);
        await using IProgramClient client = place.IsHttp1
            ? await Http1ProgramClient.ConnectAsync(host.EndPoint, place, program)
            : await Http2ProgramClient.ConnectAsync(host.EndPoint, place, program);
        ProgramSession session = s_sessions[id] = new ProgramSession(program, place, client);
        try
        {
            string path = string.Create(CultureInfo.InvariantCulture, $"/{(program.Mode == ProgramMode.Pool ? "pool" : "reactor")}/{id}");
            if (await client.AskAsync(place.Path(path, program), session) is not { } first)
            {
                _ = Interlocked.Increment(ref _withoutEnd);
                return Lines(session.Notes);
            }

            if (session.Kept is { } kept)
            {
                await kept.UseAsync(session);
            }

            string second = await client.AskAgainAsync(place.Path("/second", program));
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

using System.Collections.Concurrent;
using System.Globalization;
using System.IO.Pipelines;
using System.Net.Sockets;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2.Tests;

/// <summary>One run of a program on one host: what its client and its handler share, and what both noted.</summary>
/// <param name="program">What runs.</param>
/// <param name="place">Where.</param>
/// <param name="client">Who asks.</param>
/// <param name="stock">What stock saw of the program; null where stock runs it.</param>
/// <param name="run">Which run of stock this is.</param>
internal sealed class ProgramSession(HandlerProgram program, ProgramPlace place, IProgramClient client, ProgramSeen? stock, int run)
{
    private static readonly TimeSpan s_noEndLimit = Waits.Stretched(1.Seconds());
    private static readonly TimeSpan s_limit = Waits.Generous(5.Seconds());

    private readonly ConcurrentQueue<string> _notes = new();
    private readonly TaskCompletionSource _over = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly TaskCompletionSource _returned = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal HandlerProgram Program => program;

    internal ProgramPlace Place => place;

    /// <summary>The handler is over.</summary>
    internal Task Returned => _returned.Task;

    /// <summary>Its callbacks are over, too.</summary>
    internal Task Over => _over.Task;

    /// <summary>The server's end of the connection, where the client must ask it what was read.</summary>
    internal Socket? ServerSocket { get; set; }

    internal IEnumerable<string> Notes => _notes;

    internal KeptObjects? Kept { get; set; }

    /// <summary>A step of it ran elsewhere than on its connection's reactor, over HTTP/1.1.</summary>
    internal bool IsElsewhere { get; set; }

    /// <summary>How long what has an end may take. Where stock may have none a first run does not wait for it long.</summary>
    internal TimeSpan Limit => stock is null && run == 1 && program.MayHaveNoEnd ? s_noEndLimit : s_limit;

    /// <summary>Whether something ends within the limit.</summary>
    internal async Task<bool> IsInTimeAsync(Task task)
    {
        try
        {
            await task.WaitAsync(Limit);
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    /// <summary>Whether stock noted this, so that a wait for it may be a long one.</summary>
    internal bool IsExpected(string note) => stock?.Text.Contains(note, StringComparison.Ordinal) == true;

    /// <summary>Stock read all that its client sent, so that the same may be waited for.</summary>
    internal bool ReadsAll => stock is { IsStuck: false };

    /// <summary>Something that the client sent was not read in time.</summary>
    internal bool IsStuck { get; set; }

    /// <summary>The connection's, over HTTP/1.1 on the ring.</summary>
    internal Reactor? Reactor { get; set; }

    internal Task ActAsync(Step step) => client.ActAsync(this, step);

    internal void Note(string text) => _notes.Enqueue(text);

    internal void Note(string what, Exception exception) => Note($"{what}: {Describe(exception)}");

    internal void Return() => _returned.TrySetResult();

    internal void End() => _over.TrySetResult();

    internal static string Describe(Exception exception)
        => exception is BadHttpRequestException bad
            ? string.Create(CultureInfo.InvariantCulture, $"{exception.GetType().FullName} {bad.StatusCode}")
            : exception.GetType().Name;
}

/// <summary>What a handler can keep of its request.</summary>
internal sealed record KeptObjects(
    Stream RequestBody, PipeReader Reader, Stream ResponseBody, PipeWriter Writer, IHeaderDictionary Fields, IHeaderDictionary RequestFields,
    IHttpResponseFeature Response, HttpContext Context)
{
    internal bool IsContextOver
    {
        get
        {
            try
            {
                return Context.Features is null;
            }
            catch (ObjectDisposedException)
            {
                return true;
            }
        }
    }

    internal static KeptObjects Of(HttpContext context)
        => new(
            context.Request.Body, context.Request.BodyReader, context.Response.Body, context.Response.BodyWriter, context.Response.Headers,
            context.Request.Headers,
            context.Features.Get<IHttpResponseFeature>()!,
            context);

    /// <summary>Uses each of them, and notes what comes of it.</summary>
    internal async Task UseAsync(ProgramSession session)
    {
        await TryAsync("read", async () => $"{await RequestBody.ReadAsync(new byte[10])}");
        await TryAsync("read the pipe", async () => $"{(await Reader.ReadAsync()).Buffer.Length}");
        await TryAsync("write", async () =>
        {
            await ResponseBody.WriteAsync("late"u8.ToArray());
            return "done";
        });
        await TryAsync("write to the pipe", async () => $"{(await Writer.WriteAsync("late"u8.ToArray())).IsCompleted}");
        await TryAsync("flush", async () =>
        {
            await ResponseBody.FlushAsync();
            return "done";
        });
        // Over HTTP/1.1 they belong to the connection on Kestrel, and are the next answer's.
        if (!session.Place.IsHttp1)
        {
            await TryAsync("set a field", () =>
            {
                Fields["X-Late"] = "1";
                return Task.FromResult("done");
            });
            await TryAsync("set the status", () =>
            {
                Response.StatusCode = 299;
                return Task.FromResult("done");
            });
        }

        async Task TryAsync(string what, Func<Task<string>> useAsync)
        {
            try
            {
                session.Note($"late {what}: {await useAsync().Within(10.Seconds())}");
            }
            catch (Exception exception)
            {
                session.Note($"late {what}", exception);
            }
        }
    }
}

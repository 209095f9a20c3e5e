using System.Collections.Concurrent;
using System.Globalization;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;

namespace Ioxide.BadNetworkHost;

/// <summary>
/// What the servers answer, and what their handlers saw. <c>/down?key=K&amp;length=L</c> answers with the bytes of a key, with
/// <c>pause=P</c> milliseconds after each piece, <c>/up?key=K</c> with the body's length and its first byte that is not the key's, or -1.
/// <c>/wait</c> answers when its client is gone, or after a minute.
/// </summary>
internal sealed class Handlers
{
    private const int PieceBytes = 16 * 1024;

    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(1);

    private int _running;

    /// <summary>How each request ended so far.</summary>
    internal ConcurrentQueue<string> Seen { get; } = new();

    /// <summary>Requests whose handlers run.</summary>
    internal int Running => Volatile.Read(ref _running);

    internal async Task ServeAsync(HttpContext context)
    {
        string name = context.Request.Path.Value!.TrimStart('/'); // Never null for a server.
        Interlocked.Increment(ref _running);
        try
        {
            Seen.Enqueue($"{name}: {await AnswerAsync(context, name)}");
        }
        catch (Exception exception)
        {
            Seen.Enqueue($"{name}: {Outcome.Of(exception)}");
            throw;
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private static Task<string> AnswerAsync(HttpContext context, string name) => name switch
    {
        "down" => SendAsync(context),
        "up" => ReceiveAsync(context),
        "wait" => WaitAsync(context),
        _ => throw new InvalidOperationException($"Nothing is named {name}."),
    };

    private static async Task<string> SendAsync(HttpContext context)
    {
        long key = Number(context, "key");
        int lengthBytes = (int)Number(context, "length");
        int pauseMs = (int)Number(context, "pause");
        context.Response.ContentLength = lengthBytes;
        PipeWriter output = context.Response.BodyWriter;
        for (int offset = 0; offset < lengthBytes;)
        {
            int count = Math.Min(PieceBytes, lengthBytes - offset);
            Payload.Fill(output.GetSpan(count)[..count], key, offset);
            output.Advance(count);
            offset += count;
            if ((await output.FlushAsync(CancellationToken.None)).IsCompleted || context.RequestAborted.IsCancellationRequested)
            {
                return "cut";
            }

            if (pauseMs > 0)
            {
                await Task.Delay(pauseMs);
            }
        }

        return Outcome.Whole;
    }

    private static async Task<string> ReceiveAsync(HttpContext context)
    {
        await TextAsync(context, await Payload.ReadAsync(context.Request.BodyReader, Number(context, "key")));
        return Outcome.Whole;
    }

    private static async Task<string> WaitAsync(HttpContext context)
    {
        var aborted = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using CancellationTokenRegistration registration = context.RequestAborted.Register(aborted.SetResult);
        bool isGone = await Task.WhenAny(aborted.Task, Task.Delay(s_longest)) == aborted.Task;
        await TextAsync(context, isGone ? "gone" : "waited");
        return isGone ? "the client is gone" : "waited in vain";
    }

    private static Task TextAsync(HttpContext context, string text)
    {
        context.Response.ContentLength = text.Length;
        return context.Response.WriteAsync(text, CancellationToken.None);
    }

    private static long Number(HttpContext context, string name)
        => long.TryParse(context.Request.Query[name].ToString(), CultureInfo.InvariantCulture, out long value) ? value : 0;
}

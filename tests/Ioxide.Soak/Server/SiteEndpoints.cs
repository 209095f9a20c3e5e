using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Soak;

/// <summary>What a <see cref="Site"/> answers: streams of a key in both directions, and a WebSocket echo.</summary>
internal static class SiteEndpoints
{
    private const int PieceBytes = 16 * 1024;

    internal static void Map(WebApplication app)
    {
        app.UseWebSockets();
        app.Run(AnswerAsync);
    }

    private static async Task AnswerAsync(HttpContext context)
    {
        try
        {
            await (context.Request.Path.Value switch
            {
                "/pattern" => SendPatternAsync(context),
                "/check" => CheckPatternAsync(context),
                "/ws" => EchoAsync(context),
                _ => Task.FromException(new BadHttpRequestException("unknown path", StatusCodes.Status404NotFound)),
            });
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or WebSocketException)
        {
            // The client went away, which a part of the load does on purpose. Whoever stayed and got less counts it.
            context.Abort();
        }
    }

    private static async Task SendPatternAsync(HttpContext context)
    {
        long key = Number(context, "key");
        int length = (int)Number(context, "length");
        await TakeDetourAsync((ResumePlace)Number(context, "place"));
        context.Response.ContentLength = length;
        PipeWriter body = context.Response.BodyWriter;
        for (int offset = 0; offset < length;)
        {
            int count = Math.Min(PieceBytes, length - offset);
            Pattern.Fill(body.GetSpan(count)[..count], key, offset);
            body.Advance(count);
            offset += count;
            if (length > PieceBytes && (await body.FlushAsync()).IsCompleted)
            {
                return;
            }
        }
    }

    /// <summary>Leaves the reactor's current piece of work in the way that the client asked for, and comes back.</summary>
    private static async Task TakeDetourAsync(ResumePlace place)
    {
        switch (place)
        {
            case ResumePlace.Yield:
                await Task.Yield();
                break;
            case ResumePlace.Timer:
                await Task.Delay(1);
                break;
            case ResumePlace.ThreadPool:
                await Task.Run(static () => { }).ConfigureAwait(false);
                break;
            case ResumePlace.Blocked:
                Task.Delay(1).Wait();
                break;
        }
    }

    private static async Task CheckPatternAsync(HttpContext context)
    {
        long key = Number(context, "key");
        long received = 0;
        long wrong = 0;
        while (true)
        {
            ReadResult read = await context.Request.BodyReader.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                wrong += Pattern.Differences(segment.Span, key, received);
                received += segment.Length;
            }

            context.Request.BodyReader.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                break;
            }
        }

        string text = string.Create(CultureInfo.InvariantCulture, $"{received} {wrong}");
        context.Response.ContentLength = text.Length;
        await context.Response.WriteAsync(text);
    }

    private static async Task EchoAsync(HttpContext context)
    {
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
        byte[] buffer = ArrayPool<byte>.Shared.Rent(PieceBytes);
        try
        {
            while (true)
            {
                ValueWebSocketReceiveResult received = await socket.ReceiveAsync(buffer.AsMemory(), context.RequestAborted);
                if (received.MessageType == WebSocketMessageType.Close)
                {
                    await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, context.RequestAborted);
                    return;
                }

                await socket.SendAsync(
                    buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, context.RequestAborted);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static long Number(HttpContext context, string name)
        => long.Parse(context.Request.Query[name].ToString(), CultureInfo.InvariantCulture);
}

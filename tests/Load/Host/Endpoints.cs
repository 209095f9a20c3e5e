using System.Buffers;
using System.Globalization;
using System.Net;
using System.Net.WebSockets;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.LoadServer;

/// <summary>What Kestrel answers.</summary>
/// <remarks>
/// <c>/pattern?key=K&amp;length=L</c> answers with the bytes of the key, from another place with <c>place=P</c>, <c>/blank?length=L</c> with
/// zeros, <c>/echo</c> with the body, <c>/check?key=K</c> with the body's length and its first byte that is not the key's, or -1, <c>/ws</c>
/// sends messages back, <c>/slow</c> is the first after <c>ms</c> milliseconds, <c>/deaf?ms=M</c> answers after a while even where the client
/// is gone, <c>/block?ms=M</c> blocks its reactor, <c>/where</c> names it, <c>/who</c> names the client and the balancer's id of the
/// connection. <c>/hold?key=K&amp;length=L</c> and <c>/held</c> are answered half and not at all until <c>/release</c>; <c>/silent</c>
/// counts the second ones.
/// </remarks>
internal static class Endpoints
{
    internal static async Task ServeAsync(HttpContext context)
    {
        try
        {
            await AnswerAsync(context);
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or WebSocketException)
        {
            // The client went away, which a part of the load does on purpose. Whoever stayed and got less notices it.
            context.Abort();
        }
    }

    internal static Task TextAsync(HttpContext context, string text)
    {
        context.Response.ContentLength = text.Length;
        return context.Response.WriteAsync(text);
    }

    /// <summary>A number of the query; 0 where there is none.</summary>
    internal static long Number(HttpContext context, string name)
        => long.TryParse(context.Request.Query[name].ToString(), CultureInfo.InvariantCulture, out long value) ? value : 0;

    private static Task AnswerAsync(HttpContext context) => context.Request.Path.Value switch
    {
        "/pattern" => PatternAsync(context),
        "/blank" => WriteAsync(context, key: null),
        "/echo" => EchoAsync(context),
        "/check" => CheckAsync(context),
        "/ws" => EchoMessagesAsync(context),
        "/slow" => SlowAsync(context),
        "/deaf" => DeafAsync(context),
        "/block" => BlockAsync(context),
        "/hold" => Holding.HoldAnswerAsync(context),
        "/held" => Holding.HoldSilentAsync(context),
        "/silent" => Holding.CountSilentAsync(context),
        "/release" => Holding.ReleaseAsync(context),
        "/who" => TextAsync(context, Describe(context)),
        "/where" => TextAsync(context, $"{ReactorOf(context).Id}"),
        _ => NotFoundAsync(context),
    };

    private static async Task PatternAsync(HttpContext context)
    {
        await TakeDetourAsync(context.Request.Query["place"].ToString());
        await WriteAsync(context, Number(context, "key"));
    }

    /// <summary>Leaves the reactor's current piece of work in the way that the client asked for, and comes back.</summary>
    private static async Task TakeDetourAsync(string place)
    {
        switch (place)
        {
            case "yield":
                await Task.Yield();
                break;
            case "timer":
                await Task.Delay(1);
                break;
            case "pool":
                await Task.Run(static () => { }).ConfigureAwait(false);
                break;
            case "blocked":
                Task.Delay(1).Wait();
                break;
        }
    }

    private static async Task WriteAsync(HttpContext context, long? key)
    {
        int lengthBytes = (int)Number(context, "length");
        context.Response.ContentLength = lengthBytes;
        if (!await Streams.WriteAsync(context.Response.BodyWriter, lengthBytes, key, context.RequestAborted))
        {
            context.Abort();
        }
    }

    private static async Task EchoAsync(HttpContext context)
    {
        long lengthBytes = context.Request.ContentLength ?? 0;
        context.Response.ContentLength = lengthBytes;
        if (!await Streams.EchoAsync(context.Request.BodyReader, context.Response.BodyWriter, lengthBytes))
        {
            context.Abort();
        }
    }

    private static async Task CheckAsync(HttpContext context)
        => await TextAsync(context, await Payload.ReadAsync(context.Request.BodyReader, Number(context, "key")));

    private static async Task EchoMessagesAsync(HttpContext context)
    {
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
        byte[] buffer = ArrayPool<byte>.Shared.Rent(Streams.PieceBytes);
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

                await socket.SendAsync(buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, context.RequestAborted);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private static async Task SlowAsync(HttpContext context)
    {
        await Task.Delay((int)Number(context, "ms"), context.RequestAborted);
        await PatternAsync(context);
    }

    private static async Task DeafAsync(HttpContext context)
    {
        await Task.Delay((int)Number(context, "ms"), CancellationToken.None);
        await TextAsync(context, "late");
    }

    private static Task BlockAsync(HttpContext context)
    {
        Thread.Sleep((int)Number(context, "ms"));
        return TextAsync(context, $"{ReactorOf(context).Id}");
    }

    private static Task NotFoundAsync(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status404NotFound;
        return Task.CompletedTask;
    }

    private static string Describe(HttpContext context)
    {
        ConnectionInfo connection = context.Connection;
        // The balancer's id of the connection.
        ReadOnlyMemory<byte> id = default;
        context.Features.Get<IProxyProtocolFeature>()?.TryGetValue(0x05, out id);
        return $"{new IPEndPoint(connection.RemoteIpAddress!, connection.RemotePort)} {Convert.ToHexString(id.Span)}";
    }

    private static Reactor ReactorOf(HttpContext context) => context.Features.GetRequiredFeature<IReactorFeature>().Reactor;
}

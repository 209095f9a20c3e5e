using System.Net.WebSockets;

namespace Ioxide.LoadHost;

/// <summary>A WebSocket that sends back what it gets.</summary>
internal static class WebSocketEndpoints
{
    private const int BufferLengthBytes = 4096;

    internal static void MapWebSocketEcho(this IEndpointRouteBuilder routes)
    {
        // The middleware sits in this endpoint's own pipeline, so that the other endpoints do not pay for it.
        IApplicationBuilder pipeline = routes.CreateApplicationBuilder();
        pipeline.UseWebSockets();
        pipeline.Run(static context => EchoAsync(context));
        routes.Map("/ws", pipeline.Build());
    }

    private static async Task EchoAsync(HttpContext context)
    {
        if (!context.WebSockets.IsWebSocketRequest)
        {
            context.Response.StatusCode = StatusCodes.Status400BadRequest;
            return;
        }

        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
        byte[] buffer = new byte[BufferLengthBytes];
        try
        {
            while (true)
            {
                ValueWebSocketReceiveResult received =
                    await socket.ReceiveAsync(buffer.AsMemory(), context.RequestAborted);
                if (received.MessageType == WebSocketMessageType.Close)
                {
                    await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
                    return;
                }

                await socket.SendAsync(
                    buffer.AsMemory(0, received.Count),
                    received.MessageType,
                    received.EndOfMessage,
                    context.RequestAborted);
            }
        }
        catch (WebSocketException)
        {
            // The client went away without a close frame, which is how a load generator ends.
        }
        catch (OperationCanceledException)
        {
            // The connection was reset.
        }
    }
}

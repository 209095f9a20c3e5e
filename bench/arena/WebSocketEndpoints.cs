using System.Net.WebSockets;

namespace Ioxide.Arena;

/// <summary>A WebSocket that sends back what it gets.</summary>
internal static class WebSocketEndpoints
{
    private const int BufferBytes = 4096;

    internal static void MapWebSocketEcho(this IEndpointRouteBuilder routes)
        => routes.Map("/ws", static async (HttpContext context) =>
        {
            if (!context.WebSockets.IsWebSocketRequest)
            {
                context.Response.StatusCode = StatusCodes.Status400BadRequest;
                return;
            }

            using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync();
            try
            {
                await EchoAsync(socket, context.RequestAborted);
            }
            catch (Exception exception) when (exception is WebSocketException or OperationCanceledException)
            {
                // The client left without a close frame, as load generators do.
            }
        });

    private static async Task EchoAsync(WebSocket socket, CancellationToken cancellation)
    {
        byte[] buffer = new byte[BufferBytes];
        while (true)
        {
            ValueWebSocketReceiveResult received = await socket.ReceiveAsync(buffer.AsMemory(), cancellation);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, cancellation);
                return;
            }

            await socket.SendAsync(buffer.AsMemory(0, received.Count), received.MessageType, received.EndOfMessage, cancellation);
        }
    }
}

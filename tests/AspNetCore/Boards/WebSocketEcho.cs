using System.Net.WebSockets;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The application that the catalogue of WebSockets is played to: it sends messages back, part by part, and answers a close frame.</summary>
/// <remarks>
/// ASP.NET Core sends a close frame to a client that breaks the protocol, and aborts the request right then. The abort is a reset, which may
/// overtake the close frame. Here it is left out, so that the code can be seen; under <see cref="HastyPath"/> it is not.
/// </remarks>
internal static class WebSocketEcho
{
    /// <summary>A path under which permessage-deflate is negotiated.</summary>
    internal const string CompressedPath = "/deflate";

    /// <summary>A path under which an abort is one.</summary>
    internal const string HastyPath = "/hasty";

    internal static async Task RunAsync(HttpContext context)
    {
        if (context.Request.Path != HastyPath)
        {
            context.Features.Set<IHttpRequestLifetimeFeature>(new PatientLifetime { RequestAborted = context.RequestAborted });
        }

        WebSocketAcceptContext accept = new() { DangerousEnableCompression = context.Request.Path == CompressedPath };
        using WebSocket socket = await context.WebSockets.AcceptWebSocketAsync(accept);
        byte[] buffer = new byte[64 * 1024];
        try
        {
            while (true)
            {
                ValueWebSocketReceiveResult part = await socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None);
                if (part.MessageType == WebSocketMessageType.Close)
                {
                    await socket.CloseOutputAsync(socket.CloseStatus!.Value, socket.CloseStatusDescription, CancellationToken.None);
                    return;
                }

                await socket.SendAsync(buffer.AsMemory(0, part.Count), part.MessageType, part.EndOfMessage, CancellationToken.None);
            }
        }
        catch (WebSocketException)
        {
            // The client has broken the protocol. The close frame that says so is sent.
        }
    }

    private sealed class PatientLifetime : IHttpRequestLifetimeFeature
    {
        public CancellationToken RequestAborted { get; set; }

        public void Abort()
        {
            // The connection ends with the handler.
        }
    }
}

using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.TestKit;

/// <summary>A connection that has become a WebSocket.</summary>
/// <param name="Stream">Its bytes, either way.</param>
/// <param name="Extensions">The server's Sec-WebSocket-Extensions; null for none.</param>
internal sealed record WebSocketLink(Stream Stream, string? Extensions) : IAsyncDisposable
{
    private const string EndOfHead = "\r\n\r\n";
    private const int MaxHeadBytes = 4096;

    // Source: RFC 6455, section 4.2.2.
    private const string KeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    /// <summary>Upgrades a connection of HTTP/1.1. Source: RFC 6455, section 4.1.</summary>
    /// <exception cref="InvalidDataException">The server does not switch, or not by the rules.</exception>
    internal static async Task<WebSocketLink> UpgradeAsync(EndPoint endPoint, string path, string? offers)
    {
        Socket socket = await RawSocket.ConnectAsync(endPoint).ConfigureAwait(false);
        NetworkStream stream = new(socket, ownsSocket: true);
        try
        {
            string key = Convert.ToBase64String(RandomNumberGenerator.GetBytes(16));
            string extensions = offers is null ? "" : $"Sec-WebSocket-Extensions: {offers}\r\n";
            await stream.WriteAsync(Encoding.ASCII.GetBytes(
                $"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + $"Sec-WebSocket-Key: {key}\r\n{extensions}\r\n")).ConfigureAwait(false);
            string head = await ReadHeadAsync(stream).ConfigureAwait(false);
            Check(head.StartsWith("HTTP/1.1 101 ", StringComparison.Ordinal), head);
            Check(Field(head, "Upgrade") is "websocket" && Field(head, "Connection") is "Upgrade", head);
            Check(Field(head, "Sec-WebSocket-Accept") == Accept(key), "another key was accepted");
            return new WebSocketLink(stream, Field(head, "Sec-WebSocket-Extensions"));
        }
        catch
        {
            await stream.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>What a server makes of a client's key. Source: RFC 6455, section 4.2.2.</summary>
    internal static string Accept(string key)
    {
#pragma warning disable CA5350 // The protocol's own, and no secret.
        return Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key + KeySuffix)));
#pragma warning restore CA5350
    }

    /// <summary>The head of a message, up to its empty line. Nobody sends more before the head is answered.</summary>
    internal static async Task<string> ReadHeadAsync(Stream stream)
    {
        byte[] buffer = new byte[MaxHeadBytes];
        string head = "";
        for (int lengthBytes = 0; !head.EndsWith(EndOfHead, StringComparison.Ordinal);)
        {
            int count = await stream.ReadAsync(buffer.AsMemory(lengthBytes)).ConfigureAwait(false);
            Check(count > 0, $"an end after '{head}'");
            lengthBytes += count;
            head = Encoding.ASCII.GetString(buffer, 0, lengthBytes);
        }

        return head;
    }

    internal static string? Field(string head, string name)
    {
        foreach (string line in head.Split("\r\n"))
        {
            if (line.StartsWith($"{name}:", StringComparison.OrdinalIgnoreCase))
            {
                return line[(name.Length + 1)..].Trim();
            }
        }

        return null;
    }

    public ValueTask DisposeAsync() => Stream.DisposeAsync();

    private static void Check(bool isRight, string wrong)
    {
        if (!isRight)
        {
            throw new InvalidDataException(wrong);
        }
    }
}

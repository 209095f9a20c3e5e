using System.Net.WebSockets;
using System.Text;

namespace Ioxide.Docs.Tests;

/// <summary>A client of a hub that reads only when it is asked to, in SignalR's protocol of JSON: records that end with 0x1e.</summary>
internal sealed class HubLink : IDisposable
{
    private const char EndOfRecord = '\u001e';

    private readonly ClientWebSocket _socket = new();
    private readonly byte[] _buffer = new byte[64 * 1024];
    private string _rest = "";

    internal static async Task<HubLink> ConnectAsync(Uri address, string path)
    {
        HubLink link = new();
        try
        {
            Uri hub = new UriBuilder(address) { Scheme = "ws", Path = path }.Uri;
            await link._socket.ConnectAsync(hub, CancellationToken.None).Within(60.Seconds());
            await link.SendAsync("""{"protocol":"json","version":1}""");
            Assert.Equal("{}", await link.ReceiveAsync().Within(60.Seconds()));
            return link;
        }
        catch
        {
            link.Dispose();
            throw;
        }
    }

    internal Task SendAsync(string record)
        => _socket.SendAsync(Encoding.UTF8.GetBytes(record + EndOfRecord), WebSocketMessageType.Text, endOfMessage: true, CancellationToken.None).Within(60.Seconds());

    /// <summary>A hub ends a client that has been silent for 30 s.</summary>
    internal Task PingAsync() => SendAsync("""{"type":6}""");

    /// <summary>The next record.</summary>
    /// <exception cref="WebSocketException">The connection has ended.</exception>
    internal async Task<string> ReceiveAsync()
    {
        int end;
        while ((end = _rest.IndexOf(EndOfRecord)) < 0)
        {
            ValueWebSocketReceiveResult received = await _socket.ReceiveAsync(_buffer.AsMemory(), CancellationToken.None);
            Assert.NotEqual(WebSocketMessageType.Close, received.MessageType);
            _rest += Encoding.ASCII.GetString(_buffer, 0, received.Count);
        }

        string record = _rest[..end];
        _rest = _rest[(end + 1)..];
        return record;
    }

    public void Dispose() => _socket.Dispose();
}

using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tls.Tests;

/// <summary>What a server says in clear text to what it was sent: its hello, an alert or an end.</summary>
internal sealed class ServerAnswer
{
    private const byte ServerHello = 2;

    // The random of a hello that asks for another one. Source: RFC 8446, section 4.1.3.
    private static readonly byte[] s_retry = Convert.FromHexString("CF21AD74E59A6111BE1D8C021E65B891C2A211167ABB8C5E079E09E2C8A8339C");

    /// <summary>A fatal alert, or a warning; null for none.</summary>
    internal TlsAlert? Alert { get; private set; }

    internal bool IsWarning { get; private set; }

    internal bool HasHello { get; private set; }

    internal bool IsRetry { get; private set; }

    internal bool IsReset { get; private set; }

    internal ushort Version { get; private set; }

    internal byte[] Random { get; private set; } = [];

    internal byte[] SessionId { get; private set; } = [];

    internal ushort Suite { get; private set; }

    internal Dictionary<ushort, byte[]> Extensions { get; } = [];

    /// <summary>What was negotiated: TLS 1.3 stands in an extension.</summary>
    internal ushort Negotiated => Extensions.TryGetValue(HelloBuilder.SupportedVersions, out byte[]? version) ? HelloBuilder.Word(version) : Version;

    /// <summary>Sends each flight after an answer to the one before, ends the stream, and reads what comes.</summary>
    internal static async Task<ServerAnswer> AskAsync(EndPoint endPoint, params byte[][] flights)
    {
        using Socket socket = await RawSocket.ConnectAsync(endPoint);
        ServerAnswer answer = new();
        byte[] room = new byte[64 * 1024];
        List<byte> received = [];
        try
        {
            for (int index = 0; index < flights.Length; index++)
            {
                if (index > 0)
                {
                    int count = await socket.ReceiveAsync(room).Within(Patience.Limit, "the server answers a flight");
                    received.AddRange(room.AsSpan(0, count));
                }

                await socket.SendAllAsync(flights[index]);
            }

            socket.Shutdown(SocketShutdown.Send);
            while (await socket.ReceiveAsync(room).Within(Patience.Limit, "the server ends the connection") is int count and > 0)
            {
                received.AddRange(room.AsSpan(0, count));
            }
        }
        catch (SocketException)
        {
            answer.IsReset = true;
        }

        answer.Read([.. received]);
        return answer;
    }

    public override string ToString()
    {
        string hello = !HasHello ? "" : IsRetry ? "retry, " : $"hello {Negotiated:x4} {Suite:x4}, ";
        string alert = Alert is { } code ? $"{(IsWarning ? "warning" : "alert")} {code}, " : "";
        return $"{hello}{alert}{(IsReset ? "RST" : "FIN")}";
    }

    private void Read(byte[] bytes)
    {
        List<byte> messages = [];
        for (int at = 0; at + RecordHeader.SizeInBytes <= bytes.Length;)
        {
            int length = HelloBuilder.Word(bytes.AsSpan(at + 3));
            byte[] content = [.. bytes.Skip(at + RecordHeader.SizeInBytes).Take(length)];
            switch ((RecordType)bytes[at])
            {
                case RecordType.Alert when content.Length == 2 && (Alert is null || IsWarning):
                    (Alert, IsWarning) = ((TlsAlert)content[1], content[0] == 1);
                    break;
                case RecordType.Handshake when !HasHello:
                    messages.AddRange(content);
                    break;
            }

            if (!HasHello && messages.Count > 4 && messages.Count >= 4 + ((messages[1] << 16) | (messages[2] << 8) | messages[3]))
            {
                Assert.Equal(ServerHello, messages[0]);
                ReadHello([.. messages]);
            }

            at += RecordHeader.SizeInBytes + length;
        }
    }

    private void ReadHello(byte[] message)
    {
        HasHello = true;
        Version = HelloBuilder.Word(message.AsSpan(4));
        Random = message[6..38];
        IsRetry = Random.AsSpan().SequenceEqual(s_retry);
        int at = 39 + message[38];
        SessionId = message[39..at];
        Suite = HelloBuilder.Word(message.AsSpan(at));
        int end = 4 + ((message[1] << 16) | (message[2] << 8) | message[3]);
        for (at += 5; at + 4 <= end;)
        {
            int length = HelloBuilder.Word(message.AsSpan(at + 2));
            Extensions[HelloBuilder.Word(message.AsSpan(at))] = message[(at + 4)..(at + 4 + length)];
            at += 4 + length;
        }
    }
}

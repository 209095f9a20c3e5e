using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>A server of a test's own at the other end of two pipes. It speaks real bytes, whole or one at a time.</summary>
internal sealed class ScriptedPeer
{
    private readonly Pipe _toClient = new();
    private readonly Pipe _toServer = new();

    internal ScriptedPeer(bool isSlow = false)
    {
        Client = new Duplex(_toClient.Reader, _toServer.Writer);
        Stream = new DuplexPipeStream(new Duplex(_toServer.Reader, _toClient.Writer));
        IsSlow = isSlow;
    }

    /// <summary>What the client is given.</summary>
    internal IDuplexPipe Client { get; }

    /// <summary>The server's end; TLS is put around it.</summary>
    internal Stream Stream { get; set; }

    private bool IsSlow { get; }

    internal async Task<byte[]> ReadAsync(int lengthBytes)
    {
        byte[] bytes = new byte[lengthBytes];
        await Stream.ReadExactlyAsync(bytes);
        return bytes;
    }

    /// <summary>A message without a type: start-up, request for TLS, cancel request.</summary>
    internal async Task<byte[]> ReadUntypedAsync()
    {
        int length = BinaryPrimitives.ReadInt32BigEndian(await ReadAsync(4));
        return await ReadAsync(length - 4);
    }

    internal async Task<byte[]> ReadPasswordAsync()
    {
        Assert.Equal((byte)'p', (await ReadAsync(1))[0]);
        return await ReadUntypedAsync();
    }

    internal async Task SendAsync(params byte[][] messages)
    {
        byte[] all = [.. messages.SelectMany(static message => message)];
        if (!IsSlow)
        {
            await Stream.WriteAsync(all);
            return;
        }

        foreach (byte b in all)
        {
            await Stream.WriteAsync(new[] { b });
            await Task.Yield();
        }
    }

    /// <summary>Ends what the client reads.</summary>
    internal void End(Exception? error = null) => _toClient.Writer.Complete(error);

    internal static byte[] Message(char type, params byte[][] parts)
    {
        byte[] body = [.. parts.SelectMany(static part => part)];
        return [(byte)type, .. Int32(body.Length + 4), .. body];
    }

    internal static byte[] Authentication(int request, params byte[] rest) => Message('R', Int32(request), rest);

    internal static byte[] Text(string text) => [.. Encoding.UTF8.GetBytes(text), 0];

    internal static byte[] Int32(int value)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        return bytes;
    }

    internal static byte[] Error(string sqlState, string message, char type = 'E')
        => Message(type, Text("SFATAL"), Text("VFATAL"), Text("C" + sqlState), Text("M" + message), Text("Hdo this"), [0]);

    /// <summary>What follows AuthenticationOk.</summary>
    internal static byte[][] Welcome(int secretBytes = 4) =>
    [
        Message('S', Text("server_version"), Text("15.18")),
        Message('S', Text("in_hot_standby"), Text("off")),
        Error("01000", "be careful", 'N'),
        Message('K', Int32(4711), [.. Enumerable.Range(1, secretBytes).Select(static i => (byte)i)]),
        Message('Z', [(byte)'I']),
    ];

    private sealed record Duplex(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}

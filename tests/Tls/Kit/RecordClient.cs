using System.Buffers;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>A client that decides about each record and each byte it sends: OpenSSL's handshake over a plain socket, then records by hand.</summary>
internal sealed class RecordClient : IDisposable
{
    private static readonly ConcurrentDictionary<SslProtocols, TlsContext> s_trusting = new();

    private readonly List<byte> _received = [];

    private RecordClient(Socket socket) => Socket = socket;

    internal Socket Socket { get; }

    internal RecordSealer Sealer { get; private set; } = null!;

    internal RecordOpener Opener { get; private set; } = null!;

    internal TlsSessionInfo Info { get; private set; } = null!;

    /// <summary>Bytes of all records that were read, those of the handshake too.</summary>
    internal long ReadBytes { get; private set; }

    /// <summary>Connects and runs the handshake.</summary>
    /// <param name="endPoint">The server.</param>
    /// <param name="options">Versions and suites; the test authority is trusted.</param>
    /// <param name="withFinished">What goes out in one write with the client's last handshake message: data for the server.</param>
    /// <param name="chunkBytes">Handshake bytes go out in pieces of this size; 0 for whole.</param>
    /// <param name="configure">Gets OpenSSL's context (SSL_CTX) first.</param>
    /// <param name="reshape">Gets each flight of the client's, and gives what is sent of it.</param>
    internal static Task<RecordClient> ConnectAsync(
        EndPoint endPoint, TlsClientOptions? options = null, byte[][]? withFinished = null, int chunkBytes = 0,
        Action<nint>? configure = null, Func<TlsBufferSession, byte[], byte[]>? reshape = null)
    {
        options ??= new TlsClientOptions();
        options.HostName = TestCertificates.ServerName;
        TlsContext context = TlsContext.ForClient(options);
        configure?.Invoke(context.Pointer);
        return ConnectAsync(
            endPoint, context, new TlsPeerPolicy(TlsPeerPolicy.ServerUsage, default, null, TestCertificates.Roots, null), withFinished ?? [],
            chunkBytes, reshape);
    }

    /// <summary>As <see cref="ConnectAsync(EndPoint, TlsClientOptions?, byte[][]?, int, Action{nint}?, Func{TlsBufferSession, byte[], byte[]}?)"/>, without a look at the certificate: for thousands in a row.</summary>
    internal static Task<RecordClient> ConnectTrustingAsync(EndPoint endPoint, SslProtocols protocol, byte[][] withFinished)
        => ConnectAsync(endPoint, s_trusting.GetOrAdd(protocol, TrustingContext), null, withFinished, 0, null);

    private static TlsContext TrustingContext(SslProtocols protocol)
    {
        TlsContext context = TlsContext.ForClient(new TlsClientOptions { HostName = TestCertificates.ServerName, Protocols = protocol });
        unsafe
        {
            LibSsl.SetVerify(context.Pointer, mode: 0, null);
        }

        return context;
    }

    private static async Task<RecordClient> ConnectAsync(
        EndPoint endPoint, TlsContext context, TlsPeerPolicy? policy, byte[][] withFinished, int chunkBytes,
        Func<TlsBufferSession, byte[], byte[]>? reshape)
    {
        HandshakeSettings settings = new() { IsServer = false, Protocols = [], HostName = TestCertificates.ServerName, PeerPolicy = policy };
        RecordClient client = new(await RawSocket.ConnectAsync(endPoint));
        try
        {
            await client.ShakeHandsAsync(settings, context, withFinished, chunkBytes, reshape);
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    private async Task ShakeHandsAsync(
        HandshakeSettings settings, TlsContext context, byte[][] withFinished, int chunkBytes, Func<TlsBufferSession, byte[], byte[]>? reshape)
    {
        using TlsBufferSession handshake = new(settings, context);
        handshake.Handshake([], [], out _);
        byte[] output = MemoryHandshake.Take(handshake);
        while (!handshake.IsHandshakeComplete)
        {
            await SendAsync(output, chunkBytes);
            output = [];
            while (!handshake.IsHandshakeComplete && output.Length == 0)
            {
                byte[] record = await ReadRecordAsync();
                handshake.Handshake(record, [], out _);
                output = MemoryHandshake.Take(handshake);
                output = reshape is not null && output.Length > 0 ? reshape(handshake, output) : output;
            }
        }

        Info = handshake.ReadInfo();
        (Sealer, Opener) = handshake.ExportKeys(RecordSuite.Of(Info.CipherSuite));
        foreach (byte[] data in withFinished)
        {
            output = [.. output, .. Seal(RecordType.ApplicationData, data)];
        }

        await SendAsync(output, chunkBytes);
    }

    internal byte[] Seal(RecordType type, ReadOnlySpan<byte> content)
    {
        byte[] record = new byte[content.Length + Sealer.OverheadBytes];
        Assert.Equal(record.Length, Sealer.Seal(type, content, record));
        return record;
    }

    /// <summary>TLS 1.3: one record whose content is followed by zeroes.</summary>
    internal byte[] SealPadded(RecordType type, ReadOnlySpan<byte> content, int paddingBytes)
    {
        // The sealer's own type byte is the last zero.
        byte[] padded = new byte[content.Length + paddingBytes];
        content.CopyTo(padded);
        padded[content.Length] = (byte)type;
        return Seal(0, padded);
    }

    internal async Task SendAsync(byte[] bytes, int chunkBytes = 0)
    {
        int step = chunkBytes == 0 ? Math.Max(1, bytes.Length) : chunkBytes;
        for (int at = 0; at < bytes.Length; at += step)
        {
            ReadOnlyMemory<byte> rest = bytes.AsMemory(at, Math.Min(step, bytes.Length - at));
            while (!rest.IsEmpty)
            {
                rest = rest[await Socket.SendAsync(rest).Within(Patience.Limit)..];
            }
        }
    }

    /// <summary>Sends data and says nothing else.</summary>
    internal Task SendDataAsync(byte[] data) => SendAsync(Seal(RecordType.ApplicationData, data));

    /// <summary>Reads and decrypts records until so many bytes of data are here; tickets are passed over.</summary>
    internal async Task<byte[]> ReadDataAsync(int lengthBytes)
    {
        List<byte> data = [];
        while (data.Count < lengthBytes)
        {
            (RecordType type, byte[] content) = await ReadAsync();
            if (type == RecordType.ApplicationData)
            {
                data.AddRange(content);
            }
            else
            {
                Assert.True(type == RecordType.Handshake && content[0] == 4, $"{type} {Convert.ToHexString(content)} came in place of data.");
            }
        }

        return [.. data];
    }

    /// <summary>The next record, decrypted.</summary>
    internal async Task<(RecordType Type, byte[] Content)> ReadAsync()
    {
        byte[] record = await ReadRecordAsync();
        Assert.True(RecordHeader.TryRead(new ReadOnlySequence<byte>(record), RecordHeader.MaxExpansion12, out RecordHeader header));
        byte[] room = new byte[record.Length];
        (RecordType type, int lengthBytes) = Opener.Open(
            header, new ReadOnlySequence<byte>(record, RecordHeader.SizeInBytes, header.LengthBytes), room);
        return (type, room[..lengthBytes]);
    }

    /// <summary>The next alert; what else comes is passed over.</summary>
    internal async Task<TlsAlert> ReadAlertAsync()
    {
        while (true)
        {
            (RecordType type, byte[] content) = await ReadAsync();
            if (type == RecordType.Alert)
            {
                return (TlsAlert)content[1];
            }
        }
    }

    /// <summary>The next record as it came; empty where the stream has ended.</summary>
    internal async Task<byte[]> ReadRecordAsync()
    {
        while (_received.Count < RecordHeader.SizeInBytes || _received.Count < RecordBytes())
        {
            byte[] chunk = new byte[32 * 1024];
            int count = await Socket.ReceiveAsync(chunk).Within(Patience.Limit, "the server sends a record");
            if (count == 0)
            {
                throw new EndOfStreamException("The server ended the stream.");
            }

            _received.AddRange(chunk.AsSpan(0, count));
        }

        byte[] record = [.. _received.Take(RecordBytes())];
        _received.RemoveRange(0, record.Length);
        ReadBytes += record.Length;
        return record;

        int RecordBytes() => RecordHeader.SizeInBytes + (_received[3] << 8 | _received[4]);
    }

    /// <summary>Everything that comes until the end of the stream, as it comes.</summary>
    internal async Task<byte[]> ReadRawToEndAsync()
    {
        // With the last of the handshake, data may have come.
        byte[] before = [.. _received];
        _received.Clear();
        return [.. before, .. await Socket.ReceiveToEndAsync()];
    }

    public void Dispose()
    {
        Sealer?.Dispose();
        Opener?.Dispose();
        Socket.Dispose();
    }
}

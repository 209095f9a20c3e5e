using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide.Tls.Tests;

/// <summary>The last flight of a client of TLS 1.3 in one record, which RFC 8446, section 5.1, allows. OpenSSL makes a record of each message.</summary>
internal static unsafe class JoinedFlight
{
    private static readonly ConditionalWeakTable<TlsBufferSession, byte[]> s_secrets = [];

    /// <summary>For <see cref="RecordClient"/>: notes the key of what is joined.</summary>
    internal static void Watch(nint context) => LibSsl.SetKeyLogCallback(context, &NoteSecret);

    /// <summary>For <see cref="RecordClient"/>: the flight as it is sent.</summary>
    internal static byte[] Join(TlsBufferSession session, byte[] flight)
    {
        if (!s_secrets.TryGetValue(session, out byte[]? secret))
        {
            return flight;
        }

        RecordSuite suite = RecordSuite.Of(session.ReadInfo().CipherSuite);
        using RecordOpener opener = new(RecordKeys.FromSecret(suite, secret), 0);
        using RecordSealer sealer = new(RecordKeys.FromSecret(suite, secret), 0);
        List<byte> clear = [];
        List<byte> messages = [];
        ReadOnlySequence<byte> rest = new(flight);
        while (RecordHeader.IsWhole(rest, RecordHeader.MaxExpansion13, out RecordHeader header))
        {
            ReadOnlySequence<byte> record = rest.Slice(0, RecordHeader.SizeInBytes + header.LengthBytes);
            rest = rest.Slice(record.End);
            if (header.Type == RecordType.ChangeCipherSpec)
            {
                clear.AddRange(record.ToArray());
                continue;
            }

            byte[] room = new byte[header.LengthBytes];
            (RecordType type, int lengthBytes) = opener.Open(header, record.Slice(RecordHeader.SizeInBytes), room);
            Assert.Equal(RecordType.Handshake, type);
            messages.AddRange(room.AsSpan(0, lengthBytes));
        }

        byte[] joined = new byte[messages.Count + sealer.OverheadBytes];
        Assert.Equal(joined.Length, sealer.Seal(RecordType.Handshake, messages.ToArray(), joined));
        return [.. clear, .. joined];
    }

    [UnmanagedCallersOnly]
    private static void NoteSecret(nint ssl, byte* line)
    {
        delegate* unmanaged<nint, byte*, void> keep = &TlsCallbacks.KeyLog;
        keep(ssl, line);
        ReadOnlySpan<byte> text = MemoryMarshal.CreateReadOnlySpanFromNullTerminated(line);
        if (text.StartsWith("CLIENT_HANDSHAKE_TRAFFIC_SECRET "u8))
        {
            s_secrets.Add(TlsBufferSession.Current!, Convert.FromHexString(text[(text.LastIndexOf((byte)' ') + 1)..]));
        }
    }
}

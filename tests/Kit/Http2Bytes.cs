using System.Text;

namespace Ioxide.TestKit;

/// <summary>What a client of HTTP/2 says, byte by byte (RFC 9113).</summary>
internal static class Http2Bytes
{
    private const int HeaderBytes = 9;
    private const byte PingType = 0x6;

    private static readonly byte[] s_ping = [0, 0, 8, PingType, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];

    /// <summary>SETTINGS that acknowledges the server's.</summary>
    internal static ReadOnlyMemory<byte> SettingsAcknowledged { get; } = (byte[])[0, 0, 0, 0x4, 0x1, 0, 0, 0, 0];

    /// <summary>The preface, empty SETTINGS, and a GET at <c>localhost</c> as stream 1.</summary>
    /// <param name="isHttps">Whether the request says that it came over TLS.</param>
    /// <param name="path">Of at most 100 bytes.</param>
    internal static ReadOnlyMemory<byte> Opening(bool isHttps = false, string path = "/")
    {
        // Entries of HPACK's static table.
        const byte Get = 0x82;
        const byte Http = 0x86;
        const byte Https = 0x87;
        const byte PathFollows = 0x04;
        const byte AuthorityFollows = 0x41;
        return (byte[])
        [
            .. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8,
            .. (ReadOnlySpan<byte>)[0, 0, 0, 0x4, 0, 0, 0, 0, 0],

            // HEADERS with END_STREAM and END_HEADERS.
            .. (ReadOnlySpan<byte>)[0, 0, (byte)(15 + path.Length), 0x1, 0x5, 0, 0, 0, 1],
            .. (ReadOnlySpan<byte>)[Get, isHttps ? Https : Http, PathFollows, (byte)path.Length],
            .. Encoding.ASCII.GetBytes(path),
            .. (ReadOnlySpan<byte>)[AuthorityFollows, 9],
            .. "localhost"u8,
        ];
    }

    /// <summary>Sends a ping, and another for each answer, until the server ends the stream in order; what else comes is dropped.</summary>
    internal static async Task PingUntilEndAsync(Stream stream)
    {
        byte[] header = new byte[HeaderBytes];
        await stream.WriteAsync(s_ping).ConfigureAwait(false);
        int count;
        while ((count = await stream.ReadAsync(header).ConfigureAwait(false)) > 0)
        {
            await stream.ReadExactlyAsync(header.AsMemory(count)).ConfigureAwait(false);
            await stream.ReadExactlyAsync(new byte[header[0] << 16 | header[1] << 8 | header[2]]).ConfigureAwait(false);
            if (header[3] == PingType)
            {
                await stream.WriteAsync(s_ping).ConfigureAwait(false);
            }
        }
    }
}

using System.Net.Sockets;

namespace Ioxide.Tls.Tests;

/// <summary>What clients send first, whole and in parts.</summary>
internal static class ClientHello
{
    private const int HeadBytes = 5;

    /// <summary>The first flight of a client: one record, caught by a socket that is no server.</summary>
    internal static async Task<byte[]> CatchAsync()
    {
        using Socket listener = RawSocket.Listen();
        Task<SslClient> client = SslClient.ConnectAsync(listener.LocalEndPoint!);
        using Socket accepted = await listener.AcceptAsync().Within(60.Seconds());
        byte[] buffer = new byte[4096];
        int count = await accepted.ReceiveAsync(buffer).Within(60.Seconds());
        accepted.Dispose();
        await Assert.ThrowsAnyAsync<Exception>(() => client);
        Assert.Equal(count, HeadBytes + (buffer[3] << 8 | buffer[4]));
        return buffer[..count];
    }

    /// <summary>The same message in records of so many bytes.</summary>
    internal static byte[] Fragment(byte[] hello, int fragmentBytes)
        => [.. hello[HeadBytes..].Chunk(fragmentBytes).SelectMany(static part => Record(22, part))];

    internal static byte[] Record(byte type, params byte[] content) => [type, 3, 1, (byte)(content.Length >> 8), (byte)content.Length, .. content];

    /// <summary>The hello with a key for a group that no server knows, beside groups that it does: it is asked for another.</summary>
    internal static byte[] WithStrangeKey(byte[] hello)
    {
        const int SupportedGroups = 10;
        const int KeyShare = 51;
        const int HeadsBytes = 6;
        byte[] changed = [.. hello];
        int share = Find(hello, KeyShare) + HeadsBytes;
        int groups = Find(hello, SupportedGroups) + HeadsBytes;
        ReadOnlySpan<byte> group = hello.AsSpan(share, 2);
        while (!hello.AsSpan(groups, 2).SequenceEqual(group))
        {
            groups += 2;
        }

        (changed[share], changed[share + 1], changed[groups], changed[groups + 1]) = (0x7a, 0x7a, 0x7a, 0x7a);
        return changed;
    }

    /// <summary>Where an extension that holds one list begins: type, length, length of the list. Source: RFC 8446, section 4.2.</summary>
    private static int Find(byte[] hello, byte extension)
    {
        for (int at = HeadBytes; ; at++)
        {
            int length = (hello[at + 2] << 8) | hello[at + 3];
            int listLength = (hello[at + 4] << 8) | hello[at + 5];
            if (hello[at] == 0 && hello[at + 1] == extension && length > 2 && listLength == length - 2)
            {
                return at;
            }
        }
    }
}

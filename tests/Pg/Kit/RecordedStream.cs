namespace Ioxide.Pg.Tests;

/// <summary>The bytes of one session with a real server, message by message, as they were on the wire.</summary>
/// <param name="Name">What the session did.</param>
/// <param name="ToServer">The client's messages, header included.</param>
/// <param name="ToClient">The server's messages, header included; without encryption.</param>
internal sealed record RecordedStream(string Name, IReadOnlyList<byte[]> ToServer, IReadOnlyList<byte[]> ToClient)
{
    /// <summary>Everything that the server sent.</summary>
    internal byte[] ServerBytes => [.. ToClient.SelectMany(message => message)];

    /// <summary>Cuts what a proxy recorded of one connection.</summary>
    internal static RecordedStream Of(string name, ProxyLink link)
    {
        var boundaries = new WireBoundaries();
        IReadOnlyList<byte[]> toServer = Cut(boundaries, Direction.ToServer, link.Recorded(Direction.ToServer));
        return new RecordedStream(name, toServer, Cut(boundaries, Direction.ToClient, link.Recorded(Direction.ToClient)));
    }

    private static List<byte[]> Cut(WireBoundaries boundaries, Direction direction, ReadOnlySpan<byte> bytes)
    {
        var messages = new List<byte[]>();
        while (!bytes.IsEmpty)
        {
            int length = boundaries.Advance(direction, bytes, out bool isEnd);
            if (!isEnd)
            {
                throw new InvalidDataException($"The recording ends in a message of {length} bytes.");
            }

            messages.Add(bytes[..length].ToArray());
            bytes = bytes[length..];
        }

        return messages;
    }
}

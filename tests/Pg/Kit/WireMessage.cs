using System.Buffers.Binary;
using System.Text;

namespace Ioxide.Pg.Tests;

/// <summary>A message as it was on the wire.</summary>
/// <param name="Type">Its first byte; <c>\0</c> where it has none.</param>
/// <param name="Body">What follows the length.</param>
internal sealed record WireMessage(char Type, byte[] Body)
{
    /// <summary>The body with zeros as blanks, to look into.</summary>
    internal string Text => Encoding.UTF8.GetString(Body).Replace('\0', ' ');

    /// <summary>Reads one.</summary>
    /// <param name="read">Gives exactly so many bytes, or null at the end of the stream before the first.</param>
    /// <param name="hasType">Whether it begins with its type.</param>
    internal static async Task<WireMessage?> ReadAsync(Func<int, Task<byte[]?>> read, bool hasType)
    {
        byte[]? header = await read(hasType ? 5 : 4).ConfigureAwait(false);
        if (header is null)
        {
            return null;
        }

        int length = BinaryPrimitives.ReadInt32BigEndian(header.AsSpan(header.Length - 4));
        byte[]? body = length > 4 ? await read(length - 4).ConfigureAwait(false) : [];
        return new WireMessage(hasType ? (char)header[0] : '\0', body ?? throw new EndOfStreamException("The stream ended in a message."));
    }

    public override string ToString() => $"{Type}({Text})";
}

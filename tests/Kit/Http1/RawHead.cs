using System.Text;

namespace Ioxide.TestKit;

/// <summary>The head of a request or a response of HTTP/1, as Latin-1.</summary>
/// <param name="FirstLine">The request line or the status line.</param>
/// <param name="Fields">Names and values in the order in which they came.</param>
internal sealed record RawHead(string FirstLine, IReadOnlyList<KeyValuePair<string, string>> Fields)
{
    /// <summary>A field's last value, by its name in any case; null where it is not there.</summary>
    internal string? this[string name]
        => Fields.LastOrDefault(field => field.Key.Equals(name, StringComparison.OrdinalIgnoreCase)).Value;

    /// <summary>Reads the head with which the bytes begin.</summary>
    /// <param name="bytes">What has come so far.</param>
    /// <param name="lengthBytes">The head's length, its empty line included.</param>
    /// <returns>Null where the head is not whole.</returns>
    /// <exception cref="InvalidDataException">A line is no field.</exception>
    internal static RawHead? TryRead(ReadOnlySpan<byte> bytes, out int lengthBytes)
    {
        lengthBytes = bytes.IndexOf("\r\n\r\n"u8) + 4;
        if (lengthBytes < 4)
        {
            return null;
        }

        return Parse(Encoding.Latin1.GetString(bytes[..(lengthBytes - 4)]));
    }

    /// <summary>Reads a whole head without its empty line.</summary>
    internal static RawHead Parse(string head)
    {
        string[] lines = head.Split("\r\n");
        return new(lines[0], [.. lines.Skip(1).Select(Field)]);
    }

    private static KeyValuePair<string, string> Field(string line)
    {
        int colonIndex = line.IndexOf(':', StringComparison.Ordinal);
        return colonIndex > 0
            ? new(line[..colonIndex], line[(colonIndex + 1)..].Trim())
            : throw new InvalidDataException($"'{line}' came where a field was due.");
    }
}

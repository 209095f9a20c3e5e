using System.Buffers;

namespace Ioxide.Pg;

/// <summary>The text of <c>bytea</c>: <c>\x</c> and hexadecimal digits, or the older form with octal escapes.</summary>
internal static class ByteaText
{
    internal static byte[] Parse(ReadOnlySpan<byte> text)
    {
        byte[] bytes = new byte[text.Length];
        int count = Parse(text, bytes);
        return bytes.AsSpan(0, count).ToArray();
    }

    /// <param name="text">The text.</param>
    /// <param name="destination">At least as many bytes as the text has.</param>
    /// <returns>Bytes written.</returns>
    internal static int Parse(ReadOnlySpan<byte> text, Span<byte> destination)
    {
        if (text.StartsWith("\\x"u8))
        {
            if (Convert.FromHexString(text[2..], destination, out _, out int written) != OperationStatus.Done)
            {
                TypeErrors.ThrowMalformed(PgTypeId.Bytea, "its digits are not hexadecimal");
            }

            return written;
        }

        int count = 0;
        while (!text.IsEmpty)
        {
            if (text[0] != '\\')
            {
                destination[count++] = text[0];
                text = text[1..];
            }
            else if (text is [_, (byte)'\\', ..])
            {
                destination[count++] = (byte)'\\';
                text = text[2..];
            }
            else if (text is [_, >= (byte)'0' and <= (byte)'3', >= (byte)'0' and <= (byte)'7', >= (byte)'0' and <= (byte)'7', ..])
            {
                destination[count++] = (byte)(((text[1] - '0') << 6) | ((text[2] - '0') << 3) | (text[3] - '0'));
                text = text[4..];
            }
            else
            {
                TypeErrors.ThrowMalformed(PgTypeId.Bytea, "an escape is not octal");
            }
        }

        return count;
    }
}

using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Ioxide.Pg;

/// <summary>JSON strings as System.Text.Json's default encoder writes them.</summary>
internal static class JsonEscape
{
    private const int MaxEscapedBytes = 12; // Two UTF-16 escapes.

    /// <summary>A property name as it is written: quoted, escaped, with its colon. Created once per result shape.</summary>
    internal static byte[] EscapeName(ReadOnlySpan<byte> utf8Name)
    {
        var sink = new Utf8Sink(stackalloc byte[256]);
        WriteString(utf8Name, ref sink);
        sink.Write(':');
        byte[] name = sink.Written.ToArray();
        sink.Dispose();
        return name;
    }

    internal static void WriteString(scoped ReadOnlySpan<byte> utf8, ref Utf8Sink sink)
    {
        sink.Write('"');
        int first = JavaScriptEncoder.Default.FindFirstCharacterToEncodeUtf8(utf8);
        if (first < 0)
        {
            sink.Write(utf8);
        }
        else
        {
            sink.Write(utf8[..first]);
            WriteEscaped(utf8[first..], ref sink);
        }

        sink.Write('"');
    }

    private static void WriteEscaped(scoped ReadOnlySpan<byte> utf8, ref Utf8Sink sink)
    {
        while (!utf8.IsEmpty)
        {
            Span<byte> room = sink.Room(MaxEscapedBytes);
            OperationStatus status = JavaScriptEncoder.Default.EncodeUtf8(utf8, room, out int consumed, out int written);
            sink.Advance(written);
            utf8 = utf8[consumed..];
            if (status == OperationStatus.DestinationTooSmall && written == 0)
            {
                _ = sink.Room(room.Length + MaxEscapedBytes);
            }
        }
    }
}

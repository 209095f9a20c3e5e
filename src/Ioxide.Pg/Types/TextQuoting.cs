using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Quotes of parts in the text of arrays, ranges and composites.</summary>
internal static class TextQuoting
{
    private static readonly SearchValues<byte> s_inArray = SearchValues.Create("\"\\{} \t\n\r\v\f"u8);
    private static readonly SearchValues<byte> s_inRange = SearchValues.Create("\"\\()[], \t\n\r\v\f"u8);

    /// <summary>Writes an element of an array with quotes if needed.</summary>
    internal static void WriteElement(scoped ReadOnlySpan<byte> text, byte delimiter, ref Utf8Sink sink)
    {
        bool needsQuotes = text.IsEmpty || text.ContainsAny(s_inArray) || text.Contains(delimiter)
            || System.Text.Ascii.EqualsIgnoreCase(text, "NULL"u8);
        if (needsQuotes)
        {
            WriteEscaped(text, ref sink);
        }
        else
        {
            sink.Write(text);
        }
    }

    /// <summary>Writes a bound of a range with quotes if needed.</summary>
    internal static void WriteBound(scoped ReadOnlySpan<byte> text, ref Utf8Sink sink)
    {
        if (text.IsEmpty || text.ContainsAny(s_inRange))
        {
            WriteDoubled(text, ref sink);
        }
        else
        {
            sink.Write(text);
        }
    }

    /// <summary>Writes in quotes; quotes and backslashes are preceded by a backslash.</summary>
    internal static void WriteEscaped(scoped ReadOnlySpan<byte> text, ref Utf8Sink sink)
    {
        sink.Write('"');
        while (true)
        {
            int special = text.IndexOfAny((byte)'"', (byte)'\\');
            if (special < 0)
            {
                break;
            }

            sink.Write(text[..special]);
            sink.Write('\\');
            sink.Write(text[special]);
            text = text[(special + 1)..];
        }

        sink.Write(text);
        sink.Write('"');
    }

    /// <summary>Writes in quotes; quotes and backslashes are doubled.</summary>
    internal static void WriteDoubled(scoped ReadOnlySpan<byte> text, ref Utf8Sink sink)
    {
        sink.Write('"');
        while (true)
        {
            int special = text.IndexOfAny((byte)'"', (byte)'\\');
            if (special < 0)
            {
                break;
            }

            sink.Write(text[..(special + 1)]);
            sink.Write(text[special]);
            text = text[(special + 1)..];
        }

        sink.Write(text);
        sink.Write('"');
    }

    /// <summary>Takes a part of a range or composite, up to one of the stops outside quotes.</summary>
    /// <returns>False if quotes do not end.</returns>
    internal static bool TryTakePart(ref TextCursor cursor, ReadOnlySpan<byte> stops, ref Utf8Sink scratch, out bool isMissing)
    {
        scratch.Clear();
        isMissing = true;
        bool isQuoted = false;
        while (!cursor.IsAtEnd && (isQuoted || !stops.Contains(cursor.Rest[0])))
        {
            byte next = cursor.Rest[0];
            cursor.TryTake(next);
            isMissing = false;
            if (next == '"' && isQuoted && cursor.TryTake((byte)'"'))
            {
                scratch.Write(next);
            }
            else if (next == '"')
            {
                isQuoted = !isQuoted;
            }
            else if (next == '\\' && !cursor.IsAtEnd)
            {
                next = cursor.Rest[0];
                cursor.TryTake(next);
                scratch.Write(next);
            }
            else
            {
                scratch.Write(next);
            }
        }

        return !isQuoted && !cursor.IsAtEnd;
    }
}

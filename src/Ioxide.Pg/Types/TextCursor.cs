using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Parses the text of a value. Text that does not match is not consumed.</summary>
internal ref struct TextCursor(ReadOnlySpan<byte> text)
{
    private ReadOnlySpan<byte> _rest = text;

    internal readonly ReadOnlySpan<byte> Rest => _rest;

    internal readonly bool IsAtEnd => _rest.IsEmpty;

    internal bool TryTake(byte expected)
    {
        if (_rest.IsEmpty || _rest[0] != expected)
        {
            return false;
        }

        _rest = _rest[1..];
        return true;
    }

    internal bool TryTake(scoped ReadOnlySpan<byte> expected)
    {
        if (!_rest.StartsWith(expected))
        {
            return false;
        }

        _rest = _rest[expected.Length..];
        return true;
    }

    /// <summary>Takes one byte; the text is not at its end.</summary>
    internal byte Take()
    {
        byte taken = _rest[0];
        _rest = _rest[1..];
        return taken;
    }

    /// <summary>Reads digits, at most eighteen.</summary>
    internal bool TryNumber(out long value)
    {
        int length = _rest.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        length = length < 0 ? _rest.Length : length;
        value = 0;
        if (length is 0 or > 18)
        {
            return false;
        }

        foreach (byte digit in _rest[..length])
        {
            value = value * 10 + (digit - '0');
        }

        _rest = _rest[length..];
        return true;
    }

    /// <summary>Reads digits after a point, as a count of the smallest unit; more digits than the unit has are an error.</summary>
    internal bool TryFraction(int digitCount, out long value)
    {
        int before = _rest.Length;
        if (!TryNumber(out value) || before - _rest.Length > digitCount)
        {
            return false;
        }

        for (int missing = digitCount - (before - _rest.Length); missing > 0; missing--)
        {
            value *= 10;
        }

        return true;
    }

    /// <summary>Takes everything before one of the bytes, or the rest.</summary>
    internal ReadOnlySpan<byte> TakeUntil(scoped ReadOnlySpan<byte> stops)
    {
        int length = _rest.IndexOfAny(stops);
        ReadOnlySpan<byte> taken = length < 0 ? _rest : _rest[..length];
        _rest = _rest[taken.Length..];
        return taken;
    }
}

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
    internal static void WriteEscaped(scoped ReadOnlySpan<byte> text, ref Utf8Sink sink) => WriteQuoted(text, isDoubled: false, ref sink);

    /// <summary>Writes in quotes; quotes and backslashes are doubled.</summary>
    internal static void WriteDoubled(scoped ReadOnlySpan<byte> text, ref Utf8Sink sink) => WriteQuoted(text, isDoubled: true, ref sink);

    /// <summary>Takes the rest of a part in quotes, in which a backslash precedes quotes and backslashes.</summary>
    /// <returns>False if the quotes do not end.</returns>
    internal static bool TryTakeQuoted(ref TextCursor cursor, ref Utf8Sink scratch)
    {
        while (true)
        {
            scratch.Write(cursor.TakeUntil("\"\\"u8));
            if (cursor.TryTake((byte)'"'))
            {
                return true;
            }

            if (!cursor.TryTake((byte)'\\') || cursor.IsAtEnd)
            {
                return false;
            }

            scratch.Write(cursor.Take());
        }
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
            byte next = cursor.Take();
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
                scratch.Write(cursor.Take());
            }
            else
            {
                scratch.Write(next);
            }
        }

        return !isQuoted && !cursor.IsAtEnd;
    }

    private static void WriteQuoted(scoped ReadOnlySpan<byte> text, bool isDoubled, ref Utf8Sink sink)
    {
        sink.Write('"');
        while (text.IndexOfAny((byte)'"', (byte)'\\') is var special and >= 0)
        {
            sink.Write(text[..special]);
            sink.Write(isDoubled ? text[special] : (byte)'\\');
            sink.Write(text[special]);
            text = text[(special + 1)..];
        }

        sink.Write(text);
        sink.Write('"');
    }
}

using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Reads the text of an array: <c>[0:1]={{a,"b c"},{NULL,d}}</c>.</summary>
/// <param name="text">The text.</param>
/// <param name="delimiter">The delimiter of elements.</param>
internal ref struct ArrayTextReader(ReadOnlySpan<byte> text, byte delimiter)
{
    private TextCursor _cursor = new(text);
    private int _depth;

    /// <summary>The number of open brackets.</summary>
    internal readonly int Depth => _depth;

    /// <summary>Reads the optional leading bounds.</summary>
    internal bool TryBounds(ref ArrayShape shape)
    {
        shape.LowerBounds = ArrayDimensions.Of([1, 1, 1, 1, 1, 1]);
        int dimension = 0;
        while (_cursor.TryTake((byte)'['))
        {
            if (dimension == ArrayDimensions.MaxRank
                || !int.TryParse(_cursor.TakeUntil(":"u8), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int lower)
                || !_cursor.TryTake((byte)':'))
            {
                return false;
            }

            _ = _cursor.TakeUntil("]"u8);
            if (!_cursor.TryTake((byte)']'))
            {
                return false;
            }

            shape.LowerBounds[dimension++] = lower;
        }

        return dimension == 0 || _cursor.TryTake((byte)'=');
    }

    /// <summary>Takes opening brackets.</summary>
    internal int Open()
    {
        int count = 0;
        while (_cursor.TryTake((byte)'{'))
        {
            count++;
        }

        _depth += count;
        return count;
    }

    /// <summary>Takes closing brackets.</summary>
    internal int Close()
    {
        int count = 0;
        while (_cursor.TryTake((byte)'}'))
        {
            count++;
        }

        _depth -= count;
        return count;
    }

    internal bool TryDelimiter() => _cursor.TryTake(delimiter);

    internal readonly bool IsAtEnd => _cursor.IsAtEnd;

    /// <summary>Takes one element.</summary>
    /// <param name="scratch">Receives its text, without quotes and escapes.</param>
    /// <param name="isNull">Whether it is NULL.</param>
    /// <returns>False if the quotes do not end.</returns>
    internal bool TryElement(ref Utf8Sink scratch, out bool isNull)
    {
        scratch.Clear();
        isNull = false;
        if (_cursor.TryTake((byte)'"'))
        {
            return TryQuoted(ref scratch);
        }

        ReadOnlySpan<byte> stops = [(byte)'}', delimiter, (byte)'\\'];
        while (true)
        {
            scratch.Write(_cursor.TakeUntil(stops));
            if (!_cursor.TryTake((byte)'\\'))
            {
                break;
            }

            if (_cursor.IsAtEnd)
            {
                return false;
            }

            scratch.Write(_cursor.Rest[0]);
            _cursor.TryTake(_cursor.Rest[0]);
        }

        isNull = Ascii.EqualsIgnoreCase(scratch.Written, "NULL"u8);
        return isNull || !scratch.Written.IsEmpty;
    }

    private bool TryQuoted(ref Utf8Sink scratch)
    {
        while (true)
        {
            scratch.Write(_cursor.TakeUntil("\"\\"u8));
            if (_cursor.TryTake((byte)'"'))
            {
                return true;
            }

            if (!_cursor.TryTake((byte)'\\') || _cursor.IsAtEnd)
            {
                return false;
            }

            scratch.Write(_cursor.Rest[0]);
            _cursor.TryTake(_cursor.Rest[0]);
        }
    }
}

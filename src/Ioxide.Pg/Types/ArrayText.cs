using System.Globalization;
using System.Text;

namespace Ioxide.Pg;

/// <summary>Prints arrays as the server does.</summary>
internal static class ArrayText
{
    private const int ScratchBytes = 256;

    /// <summary>Prints the wire form of an array whose elements are not arrays.</summary>
    internal static void Write(scoped PgField field, ref Utf8Sink sink)
    {
        var view = new ArrayView(field.Bytes, field.TypeId);
        ArrayShape shape = view.Shape;
        byte delimiter = PgTypeTable.Find(view.ElementId).Delimiter;
        if (WriteStart(shape, ref sink))
        {
            view.End();
            return;
        }

        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            int count = shape.Count;
            for (int index = 0; index < count; index++)
            {
                WriteOpening(shape, index, delimiter, ref sink);
                PgField element = view.Next();
                if (element.IsNull)
                {
                    sink.Write("NULL"u8);
                }
                else
                {
                    scratch.Clear();
                    FieldText.WriteElement(element, ref scratch);
                    TextQuoting.WriteElement(scratch.Written, delimiter, ref sink);
                }

                sink.Write('}', shape.ClosingAt(index));
            }

            view.End();
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Writes a parameter as text, every element in quotes.</summary>
    internal static void WriteParameter<T>(ReadOnlySpan<T> items, ArrayShape shape, PgCodec<T> codec, ref Utf8Sink sink)
    {
        byte delimiter = PgTypeTable.Find(codec.TypeId).Delimiter;
        if (WriteStart(shape, ref sink))
        {
            return;
        }

        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            for (int index = 0; index < items.Length; index++)
            {
                WriteOpening(shape, index, delimiter, ref sink);
                if (codec.IsNull(items[index]))
                {
                    sink.Write("NULL"u8);
                }
                else
                {
                    scratch.Clear();
                    codec.WriteText(items[index], ref scratch);
                    TextQuoting.WriteEscaped(scratch.Written, ref sink);
                }

                sink.Write('}', shape.ClosingAt(index));
            }
        }
        finally
        {
            scratch.Dispose();
        }
    }

    /// <summary>Writes lower bounds other than 1.</summary>
    /// <returns>True if the array is empty and nothing more follows.</returns>
    private static bool WriteStart(ArrayShape shape, ref Utf8Sink sink)
    {
        if (shape.Count == 0)
        {
            sink.Write("{}"u8);
            return true;
        }

        if (shape.HasUsualBounds)
        {
            return false;
        }

        for (int dimension = 0; dimension < shape.Rank; dimension++)
        {
            long lower = shape.LowerBounds[dimension];
            sink.Write('[');
            sink.WriteFormatted(lower);
            sink.Write(':');
            sink.WriteFormatted(lower + shape.Lengths[dimension] - 1);
            sink.Write(']');
        }

        sink.Write('=');
        return false;
    }

    private static void WriteOpening(ArrayShape shape, int index, byte delimiter, ref Utf8Sink sink)
    {
        if (index > 0)
        {
            sink.Write(delimiter);
        }

        sink.Write('{', shape.OpeningAt(index));
    }
}

/// <summary>Reads the elements and the shape of an array from its text.</summary>
internal static class ArrayTextParser
{
    internal static List<T> Parse<T>(PgField field, PgCodec<T> codec, out ArrayShape shape)
    {
        PgTypeEntry type = PgTypeTable.Find(field.TypeId);
        var reader = new ArrayTextReader(field.Bytes, type.Delimiter);
        var items = new List<T>();
        shape = default;
        var scratch = new Utf8Sink([]);
        try
        {
            if (!reader.TryBounds(ref shape) || !TryItems(ref reader, type.ElementId, codec, items, ref shape, ref scratch)
                || shape.Count != items.Count)
            {
                TypeErrors.ThrowMalformed(field.TypeId, "its text is that of no array");
            }
        }
        finally
        {
            scratch.Dispose();
        }

        return items;
    }

    /// <remarks>
    /// A dimension's length is known when its first bracket closes: elements so far, divided by those of the dimensions within. From there on
    /// its bracket closes when it is full, and only then.
    /// </remarks>
    private static bool TryItems<T>(
        ref ArrayTextReader reader, uint elementId, PgCodec<T> codec, List<T> items, ref ArrayShape shape, ref Utf8Sink scratch)
    {
        int rank = reader.Open();
        if (rank is 0 or > ArrayDimensions.MaxRank)
        {
            return false;
        }

        if (reader.Close() > 0)
        {
            return reader.Depth == 0 && reader.IsAtEnd;
        }

        while (reader.Depth > 0)
        {
            if (reader.Depth != rank || !reader.TryElement(ref scratch, out bool isNull))
            {
                return false;
            }

            items.Add(codec.Read(new PgField(scratch.Written, elementId, PgFormat.Text, isNull)));
            int closed = reader.Close();
            if (closed > rank || !TryClose(items.Count, rank, closed, ref shape)
                || (reader.Depth > 0 && (!reader.TryDelimiter() || reader.Open() != closed)))
            {
                return false;
            }
        }

        shape.Rank = rank;
        return reader.IsAtEnd;
    }

    /// <summary>Learns the lengths of dimensions that close for the first time, and checks the others.</summary>
    /// <param name="count">The elements so far.</param>
    /// <param name="rank">The number of dimensions.</param>
    /// <param name="closed">How many of them, from the last, close behind the element.</param>
    /// <param name="shape">A length is 0 until it is known.</param>
    private static bool TryClose(int count, int rank, int closed, ref ArrayShape shape)
    {
        int within = 1;
        for (int dimension = rank - 1; dimension >= 0; dimension--)
        {
            bool closes = dimension >= rank - closed;
            if (shape.Lengths[dimension] == 0)
            {
                if (!closes)
                {
                    break; // Nor do those around it.
                }

                shape.Lengths[dimension] = count / within;
            }

            within *= shape.Lengths[dimension];
            if (closes != (count % within == 0))
            {
                return false;
            }
        }

        return true;
    }
}

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
            return TextQuoting.TryTakeQuoted(ref _cursor, ref scratch);
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

            scratch.Write(_cursor.Take());
        }

        isNull = Ascii.EqualsIgnoreCase(scratch.Written, "NULL"u8);
        return isNull || !scratch.Written.IsEmpty;
    }
}

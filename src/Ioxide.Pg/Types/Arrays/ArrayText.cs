using System.Globalization;

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

                WriteClosing(shape, index, ref sink);
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
                    FieldText.WriteParameter(codec, items[index], ref scratch);
                    TextQuoting.WriteEscaped(scratch.Written, ref sink);
                }

                WriteClosing(shape, index, ref sink);
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
            WriteNumber(lower, ref sink);
            sink.Write(':');
            WriteNumber(lower + shape.Lengths[dimension] - 1, ref sink);
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

        for (int opening = shape.OpeningAt(index); opening > 0; opening--)
        {
            sink.Write('{');
        }
    }

    private static void WriteClosing(ArrayShape shape, int index, ref Utf8Sink sink)
    {
        for (int closing = shape.ClosingAt(index); closing > 0; closing--)
        {
            sink.Write('}');
        }
    }

    private static void WriteNumber(long value, ref Utf8Sink sink)
    {
        value.TryFormat(sink.Room(20), out int written, default, CultureInfo.InvariantCulture);
        sink.Advance(written);
    }
}

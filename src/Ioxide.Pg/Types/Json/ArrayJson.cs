namespace Ioxide.Pg;

/// <summary>Writes PostgreSQL arrays as JSON arrays, nested per dimension.</summary>
internal static class ArrayJson
{
    private const int ScratchBytes = 256;

    internal static void Write(scoped PgField field, ref Utf8Sink sink)
    {
        if (field.Format == PgFormat.Text)
        {
            WriteText(field, ref sink);
            return;
        }

        var view = new ArrayView(field.Bytes, field.TypeId);
        ArrayShape shape = view.Shape;
        int count = shape.Count;
        sink.Write(count == 0 ? "[]"u8 : []);
        for (int index = 0; index < count; index++)
        {
            sink.Write(index == 0 ? [] : ","u8);
            WriteMany('[', shape.OpeningAt(index), ref sink);
            FieldJson.WriteElement(view.Next(), ref sink);
            WriteMany(']', shape.ClosingAt(index), ref sink);
        }

        view.End();
    }

    private static void WriteText(scoped PgField field, ref Utf8Sink sink)
    {
        PgTypeEntry type = PgTypeTable.Find(field.TypeId);
        var reader = new ArrayTextReader(field.Bytes, type.Delimiter);
        ArrayShape ignored = default;
        bool isValid = reader.TryBounds(ref ignored);
        WriteMany('[', reader.Open(), ref sink);
        WriteMany(']', reader.Close(), ref sink);
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            while (isValid && reader.Depth > 0)
            {
                isValid = reader.TryElement(ref scratch, out bool isNull);
                FieldJson.WriteElement(new PgField(scratch.Written, type.ElementId, PgFormat.Text, isNull), ref sink);
                WriteMany(']', reader.Close(), ref sink);
                if (reader.Depth > 0)
                {
                    isValid &= reader.TryDelimiter();
                    sink.Write(',');
                    WriteMany('[', reader.Open(), ref sink);
                }
            }
        }
        finally
        {
            scratch.Dispose();
        }

        if (!isValid || !reader.IsAtEnd || reader.Depth != 0)
        {
            TypeErrors.ThrowMalformed(field.TypeId, "its text is that of no array");
        }
    }

    private static void WriteMany(char bracket, int count, ref Utf8Sink sink)
    {
        for (; count > 0; count--)
        {
            sink.Write(bracket);
        }
    }
}

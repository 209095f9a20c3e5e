namespace Ioxide.Pg;

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

    /// <summary>A dimension's length is known when its first bracket closes: elements so far, divided by those of the dimensions within.</summary>
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
            int within = 1;
            for (int dimension = rank - 1; dimension >= rank - closed; dimension--)
            {
                if (dimension < 0)
                {
                    return false;
                }

                shape.Lengths[dimension] = shape.Lengths[dimension] == 0 ? items.Count / within : shape.Lengths[dimension];
                within *= shape.Lengths[dimension];
            }

            if (reader.Depth > 0 && (!reader.TryDelimiter() || reader.Open() != closed))
            {
                return false;
            }
        }

        shape.Rank = rank;
        return reader.IsAtEnd;
    }
}

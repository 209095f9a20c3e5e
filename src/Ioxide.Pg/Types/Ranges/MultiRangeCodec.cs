namespace Ioxide.Pg;

/// <summary><c>PgRange&lt;T&gt;[]</c>: sent as a multirange; read from multiranges and from arrays of ranges.</summary>
internal sealed class MultiRangeCodec<T>(RangeCodec<T> range) : PgCodec<PgRange<T>[]>
{
    private readonly VectorArrayCodec<PgRange<T>> _array = new(range);

    public override uint TypeId { get; } = PgTypeTable.RangeOf(range.TypeId);

    public override bool IsTypeFixed => range.IsTypeFixed;

    public override uint TypeIdOf(PgRange<T>[] value)
    {
        foreach (PgRange<T> item in value ?? [])
        {
            if (item.HasLower || item.HasUpper)
            {
                return PgTypeTable.RangeOf(range.TypeIdOf(item));
            }
        }

        return IsTypeFixed ? TypeId : 0;
    }

    public override int Measure(PgRange<T>[] value)
    {
        int total = sizeof(int);
        uint typeId = TypeIdOf(value);
        foreach (PgRange<T> item in value)
        {
            total = checked(total + sizeof(int) + range.Measure(item));
            if (!IsTypeFixed && (item.HasLower || item.HasUpper) && PgTypeTable.RangeOf(range.TypeIdOf(item)) != typeId)
            {
                TypeErrors.ThrowKind<PgRange<T>[]>(PgTypeTable.NameOf(typeId), "its ranges are of two types");
            }
        }

        return total;
    }

    public override void Write(PgRange<T>[] value, Span<byte> destination)
    {
        var writer = new WireWriter(destination);
        writer.WriteInt32(value.Length);
        foreach (PgRange<T> item in value)
        {
            int length = range.Measure(item);
            writer.WriteInt32(length);
            range.Write(item, writer.Take(length));
        }
    }

    public override PgRange<T>[] Read(PgField field)
    {
        if (field.IsNull)
        {
            return null!; // NULL is null; a caller that handles it requests a nullable array.
        }

        // In the text of a multirange brackets follow the brace; in that of an array quotes do.
        bool isMultiRange = PgTypeTable.KindOf(field.TypeId) == PgTypeKind.MultiRange
            || (!PgTypeTable.Knows(field.TypeId) && field.Bytes is [(byte)'{', (byte)'[' or (byte)'(', ..]);
        return !isMultiRange ? _array.Read(field)
            : field.Format == PgFormat.Text ? ReadText(field)
            : ReadBinary(field);
    }

    private PgRange<T>[] ReadBinary(PgField field)
    {
        var reader = new FieldReader(field.Bytes, field.TypeId);
        int count = reader.ReadInt32();
        if (count < 0 || count > reader.Rest.Length / sizeof(int))
        {
            TypeErrors.ThrowMalformed(field.TypeId, "it has fewer ranges than it says");
        }

        PgRange<T>[] ranges = count == 0 ? [] : new PgRange<T>[count];
        uint rangeId = PgTypeTable.ElementOf(field.TypeId);
        for (int index = 0; index < ranges.Length; index++)
        {
            ranges[index] = range.Read(reader.ReadField(rangeId));
        }

        reader.End();
        return ranges;
    }

    private PgRange<T>[] ReadText(PgField field)
    {
        uint elementId = PgTypeTable.ElementOf(PgTypeTable.ElementOf(field.TypeId));
        var ranges = new List<PgRange<T>>();
        var cursor = new TextCursor(field.Bytes);
        bool isValid = cursor.TryTake((byte)'{');
        while (isValid && !cursor.TryTake((byte)'}'))
        {
            PgRange<T> item = default;
            isValid = (ranges.Count == 0 || cursor.TryTake((byte)',')) && range.TryTakeText(ref cursor, elementId, out item);
            ranges.Add(item);
        }

        if (!isValid || !cursor.IsAtEnd)
        {
            TypeErrors.ThrowText<PgRange<T>[]>(field.TypeId);
        }

        return [.. ranges];
    }
}

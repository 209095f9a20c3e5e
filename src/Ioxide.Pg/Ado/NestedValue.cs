namespace Ioxide.Pg.Data;

/// <summary>A field of a record or composite, with memory of its own.</summary>
/// <param name="Bytes">Its wire form; null for NULL.</param>
/// <param name="TypeId">The OID of its type, which may be a domain.</param>
/// <param name="Format">The form of <paramref name="Bytes"/>.</param>
internal readonly record struct NestedValue(byte[]? Bytes, uint TypeId, PgFormat Format)
{
    internal PgField Field => new(Bytes ?? [], TypeId, Format, isNull: Bytes is null);
}

/// <summary>The rows of a value that consists of fields: one of a record or composite, several of an array of them.</summary>
/// <param name="Rows">The fields of each row.</param>
/// <param name="Names">Their names; null for a record, which has none.</param>
internal sealed record NestedRows(List<NestedValue[]> Rows, string[]? Names)
{
    /// <summary>Reads a value.</summary>
    /// <param name="field">The value, which is not NULL.</param>
    /// <param name="types">The types of the database.</param>
    /// <exception cref="InvalidCastException">The type has no fields, the value is malformed, or it is a record in text form.</exception>
    /// <exception cref="InvalidOperationException">It is an array of more than one dimension, or one with a NULL.</exception>
    internal static NestedRows Of(PgField field, TypeCatalog types)
    {
        uint elementId = types.ElementOf(field.TypeId);
        uint rowId = elementId != 0 ? elementId : field.TypeId;
        DatabaseType? composite = types.CompositeOf(rowId);
        if (composite is null && rowId != PgTypeId.Record)
        {
            throw new InvalidCastException(
                $"A value of type {types.NameOf(field.TypeId) ?? TypeNames.Of(field.TypeId, -1)} has no fields for GetData. Read it with GetValue.");
        }

        if (composite is null && field.Format == PgFormat.Text)
        {
            RecordWalk.ThrowText(field);
        }

        var rows = new List<NestedValue[]>();
        foreach (byte[]? row in elementId != 0 ? Elements(field) : [field.Bytes.ToArray()])
        {
            var value = new PgField(row ?? throw NullRow(), rowId, field.Format);
            rows.Add(field.Format == PgFormat.Binary ? Binary(value) : Text(value, composite!)); // A record in text was refused.
        }

        return new NestedRows(rows, composite?.Fields);
    }

    private static List<byte[]?> Elements(PgField field)
    {
        var items = new List<byte[]?>();
        if (field.Format == PgFormat.Text)
        {
            items.AddRange(ArrayTextParser.Parse(field, BytesCodec.Instance, out ArrayShape shape));
            return shape.Rank <= 1 ? items : throw Dimensions();
        }

        var view = new ArrayView(field.Bytes, field.TypeId);
        if (view.Shape.Rank > 1)
        {
            throw Dimensions();
        }

        for (int index = view.Shape.Count; index > 0; index--)
        {
            PgField item = view.Next();
            items.Add(item.IsNull ? null : item.Bytes.ToArray());
        }

        view.End();
        return items;
    }

    private static NestedValue[] Binary(PgField row)
    {
        var reader = new FieldReader(row.Bytes, row.TypeId);
        var values = new NestedValue[reader.ReadCount(PgCompositeReader.FieldHeaderBytes)];
        for (int index = 0; index < values.Length; index++)
        {
            uint typeId = reader.ReadUInt32();
            ReadOnlySpan<byte> bytes = reader.ReadValue(out bool isNull);
            values[index] = new NestedValue(isNull ? null : bytes.ToArray(), typeId, PgFormat.Binary);
        }

        reader.End();
        return values;
    }

    private static NestedValue[] Text(PgField row, DatabaseType composite)
    {
        var reader = new PgCompositeReader(row);
        var values = new NestedValue[composite.FieldIds.Length];
        for (int index = 0; index < values.Length; index++)
        {
            values[index] = new NestedValue(reader.Read<byte[]?>(), (uint)composite.FieldIds[index], PgFormat.Text);
        }

        return values;
    }

    private static InvalidOperationException NullRow() => new("An element of the array is NULL, and has no fields. Use unnest in the statement.");

    private static InvalidOperationException Dimensions()
        => new("The array has more than one dimension, and is not read row by row. Use unnest in the statement.");
}

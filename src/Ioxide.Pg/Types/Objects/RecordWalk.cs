namespace Ioxide.Pg.Data;

/// <summary>Reads a record in binary form as the objects of its fields, and the records within it.</summary>
/// <remarks>
/// A record is the count of its fields, then the OID, the length and the bytes of each. Records nest as deeply as a statement asks, so that the
/// levels are kept in a list and not on the stack. Source: record_send in src/backend/utils/adt/rowtypes.c.
/// </remarks>
internal static class RecordWalk
{
    private const int FieldHeaderBytes = sizeof(uint) + sizeof(int);

    /// <returns><c>object[]</c> for a record, <c>object[][]</c> for an array of them.</returns>
    /// <exception cref="PgTypeException">
    /// It is malformed, in text form, an array of more than one dimension, or a field has a type whose binary form is not read.
    /// </exception>
    internal static object?[] Objects(PgField field, TypeCatalog types)
    {
        if (field.Format == PgFormat.Text)
        {
            TypeErrors.ThrowMismatch<object[]>(field.TypeId, field.Format, "Run the statement again: its columns have changed.");
        }

        var reader = new FieldReader(field.Bytes, field.TypeId);
        var levels = new Stack<Level>();
        Level whole = Open(ref reader, field.TypeId);
        levels.Push(whole);
        while (levels.TryPeek(out Level? level))
        {
            if (level.Next == level.Values.Length)
            {
                levels.Pop();
                continue;
            }

            uint typeId = level.IsArray ? PgTypeId.Record : reader.ReadUInt32();
            object? value = null;
            if (typeId is not (PgTypeId.Record or PgTypeId.RecordArray))
            {
                PgField inner = reader.ReadField(typeId);
                value = inner.IsNull ? null : types.ReaderOf(typeId, -1).Read(types.Within(inner));
            }
            else if (reader.ReadInt32() != -1)
            {
                Level below = Open(ref reader, typeId);
                levels.Push(below);
                value = below.Values;
            }

            level.Values[level.Next++] = value;
        }

        reader.End();
        return whole.Values;
    }

    private static Level Open(ref FieldReader reader, uint typeId)
    {
        if (typeId == PgTypeId.RecordArray)
        {
            return new Level(new object[ArrayCount(ref reader)][], isArray: true);
        }

        // Each field has at least its header, so nothing is allocated for missing ones.
        int count = reader.ReadInt32();
        return new Level(new object?[Checked(count, reader.Rest.Length / FieldHeaderBytes, typeId)], isArray: false);
    }

    /// <summary>Reads the header of an array of records.</summary>
    /// <returns>The number of its elements.</returns>
    internal static int ArrayCount(ref FieldReader reader)
    {
        int rank = reader.ReadInt32();
        _ = reader.ReadInt32();
        _ = reader.ReadUInt32();
        if (rank == 0)
        {
            return 0;
        }

        if (rank != 1)
        {
            throw new PgTypeException($"An array of records with {rank} dimensions is not read. Use unnest in the statement.");
        }

        int count = reader.ReadInt32();
        _ = reader.ReadInt32();
        return Checked(count, reader.Rest.Length / sizeof(int), PgTypeId.RecordArray);
    }

    private static int Checked(int count, int most, uint typeId)
    {
        if (count < 0 || count > most)
        {
            TypeErrors.ThrowMalformed(typeId, "it has fewer fields than it says");
        }

        return count;
    }

    private sealed class Level(object?[] values, bool isArray)
    {
        internal object?[] Values { get; } = values;

        internal bool IsArray { get; } = isArray;

        internal int Next { get; set; }
    }
}

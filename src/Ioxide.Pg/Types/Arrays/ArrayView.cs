namespace Ioxide.Pg;

/// <summary>The wire form of an array, read without a copy.</summary>
/// <remarks>
/// Count of dimensions, whether there are NULLs, OID of the elements; for each dimension its length and lower bound; then the
/// elements, each with its length. Source: array_send in src/backend/utils/adt/arrayfuncs.c.
/// </remarks>
internal ref struct ArrayView
{
    private FieldReader _reader;

    /// <exception cref="PgTypeException">It is malformed.</exception>
    internal ArrayView(ReadOnlySpan<byte> wire, uint typeId)
    {
        _reader = new FieldReader(wire, typeId);
        Shape.Rank = _reader.ReadInt32();
        _ = _reader.ReadInt32();
        ElementId = _reader.ReadUInt32();
        if (Shape.Rank is < 0 or > ArrayDimensions.MaxRank)
        {
            TypeErrors.ThrowMalformed(typeId, "its count of dimensions is not from 0 to 6");
        }

        for (int dimension = 0; dimension < Shape.Rank; dimension++)
        {
            Shape.Lengths[dimension] = _reader.ReadInt32();
            Shape.LowerBounds[dimension] = _reader.ReadInt32();
            if (Shape.Lengths[dimension] < 0)
            {
                TypeErrors.ThrowMalformed(typeId, "a dimension is negative");
            }
        }

        // Each element has at least its length word, so nothing is allocated for missing elements.
        if (Shape.Count > _reader.Rest.Length / sizeof(int))
        {
            TypeErrors.ThrowMalformed(typeId, "it has fewer elements than its dimensions say");
        }
    }

    internal ArrayShape Shape;

    internal uint ElementId { get; }

    /// <summary>Returns the next element; the shape has their number.</summary>
    internal PgField Next() => _reader.ReadField(ElementId);

    internal readonly void End() => _reader.End();
}

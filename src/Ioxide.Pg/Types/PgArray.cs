using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>Creates arrays of several dimensions.</summary>
public static class PgArray
{
    /// <summary>Creates a two-dimensional array with lower bounds 1.</summary>
    /// <typeparam name="T">The type of an element.</typeparam>
    /// <param name="items">The elements; they are copied.</param>
    public static PgArray<T> From<T>(T[,] items)
    {
        ArgumentNullException.ThrowIfNull(items);
        T[] copy = items.Length == 0 ? [] : MemoryMarshal.CreateSpan(ref items[0, 0], items.Length).ToArray();
        return new PgArray<T>(copy, [items.GetLength(0), items.GetLength(1)]);
    }
}

/// <summary>A lossless PostgreSQL array: dimensions, lower bounds, elements.</summary>
/// <typeparam name="T">The type of an element; a nullable one if elements may be NULL.</typeparam>
/// <remarks>Elements are contiguous; the index of the last dimension varies fastest.</remarks>
public sealed class PgArray<T>
{
    private readonly T[] _items;
    private readonly ArrayShape _shape;

    /// <param name="items">The elements, as many as the product of <paramref name="lengths"/>. They are not copied.</param>
    /// <param name="lengths">The length of each dimension, up to six; none for an empty array.</param>
    /// <param name="lowerBounds">The first index of each dimension. Defaults to 1 for each.</param>
    /// <exception cref="ArgumentException">The counts do not match.</exception>
    public PgArray(T[] items, ReadOnlySpan<int> lengths, ReadOnlySpan<int> lowerBounds = default)
    {
        ArgumentNullException.ThrowIfNull(items);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lengths.Length, ArrayDimensions.MaxRank, nameof(lengths));
        if (!lowerBounds.IsEmpty && lowerBounds.Length != lengths.Length)
        {
            throw new ArgumentException("There must be one lower bound for each dimension.", nameof(lowerBounds));
        }

        _shape.Rank = items.Length == 0 ? 0 : lengths.Length;
        _shape.Lengths = ArrayDimensions.Of(lengths);
        _shape.LowerBounds = ArrayDimensions.Of(lowerBounds.IsEmpty ? [1, 1, 1, 1, 1, 1] : lowerBounds);
        if (lengths.ContainsAnyInRange(int.MinValue, -1) || _shape.Count != items.Length)
        {
            throw new ArgumentException("There must be as many elements as the lengths of the dimensions say.", nameof(items));
        }

        _items = items;
    }

    /// <param name="items">The elements of one dimension with lower bound 1. They are not copied.</param>
    public PgArray(params T[] items)
        : this(items, [items?.Length ?? 0])
    {
    }

    internal PgArray(T[] items, ArrayShape shape)
    {
        _items = items;
        _shape = shape;
    }

    /// <summary>The number of dimensions, from 0 for an empty array to 6.</summary>
    public int Rank => _shape.Rank;

    /// <summary>The number of elements in all dimensions.</summary>
    public int Count => _items.Length;

    /// <summary>The elements, the last dimension fastest.</summary>
    public ReadOnlySpan<T> Items => _items;

    internal ArrayShape Shape => _shape;

    /// <summary>Returns an element.</summary>
    /// <param name="indices">One index per dimension, counted from the lower bound as on the server.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such element.</exception>
    public T this[params ReadOnlySpan<int> indices]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfNotEqual(indices.Length, Rank, nameof(indices));
            int at = 0;
            for (int dimension = 0; dimension < indices.Length; dimension++)
            {
                int index = indices[dimension] - _shape.LowerBounds[dimension];
                ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)index, (uint)_shape.Lengths[dimension], nameof(indices));
                at = at * _shape.Lengths[dimension] + index;
            }

            return _items[at];
        }
    }

    /// <summary>The length of a dimension.</summary>
    /// <param name="dimension">From 0 to <see cref="Rank"/> - 1.</param>
    public int GetLength(int dimension) => _shape.Lengths[Checked(dimension)];

    /// <summary>The first index of a dimension.</summary>
    /// <param name="dimension">From 0 to <see cref="Rank"/> - 1.</param>
    public int GetLowerBound(int dimension) => _shape.LowerBounds[Checked(dimension)];

    private int Checked(int dimension)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)dimension, (uint)Rank, nameof(dimension));
        return dimension;
    }
}

/// <summary>Lengths and lower bounds of an array. Elements are contiguous; the index of the last dimension varies fastest.</summary>
internal struct ArrayShape
{
    internal ArrayDimensions Lengths;
    internal ArrayDimensions LowerBounds;

    /// <summary>The number of dimensions, from 0 (an empty array) to 6.</summary>
    internal int Rank;

    internal readonly int Count
    {
        get
        {
            long count = Rank == 0 ? 0 : 1;
            for (int dimension = 0; dimension < Rank; dimension++)
            {
                count = Math.Min(count * Lengths[dimension], int.MaxValue);
            }

            return (int)count;
        }
    }

    /// <summary>A one-dimensional array with lower bound 1, or an empty one.</summary>
    internal static ArrayShape OfVector(int count)
    {
        ArrayShape shape = default;
        shape.Rank = count == 0 ? 0 : 1;
        shape.Lengths[0] = count;
        shape.LowerBounds[0] = 1;
        return shape;
    }

    internal readonly bool HasUsualBounds => !((ReadOnlySpan<int>)LowerBounds)[..Rank].ContainsAnyExcept(1);

    /// <summary>The number of brackets that open before an element.</summary>
    internal readonly int OpeningAt(int index)
    {
        int opening = 0;
        int stride = 1;
        for (int dimension = Rank - 1; dimension >= 0; dimension--)
        {
            stride *= Lengths[dimension];
            opening += index % stride == 0 ? 1 : 0;
        }

        return opening;
    }

    /// <summary>The number of brackets that close after an element.</summary>
    internal readonly int ClosingAt(int index) => OpeningAt(index + 1);
}

/// <summary>One number for each dimension of an array; the server allows six.</summary>
[InlineArray(MaxRank)]
internal struct ArrayDimensions
{
    internal const int MaxRank = 6;

    private int _first;

    internal static ArrayDimensions Of(ReadOnlySpan<int> values)
    {
        ArrayDimensions dimensions = default;
        values.CopyTo(dimensions);
        return dimensions;
    }
}

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

        // The elements decide how they are printed, and JSON is printed as it is. In a record an array of enums or composites stands for one of
        // texts, whose elements name a type of the database.
        PgTypeEntry type = PgTypeTable.Find(typeId);
        if (type.Kind == PgTypeKind.Array && ElementId != type.ElementId && (typeId != PgTypeId.TextArray || PgTypeTable.Knows(ElementId)))
        {
            TypeErrors.ThrowMalformed(typeId, $"its elements are of type {PgTypeTable.NameOf(ElementId)}");
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

namespace Ioxide.Pg;

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

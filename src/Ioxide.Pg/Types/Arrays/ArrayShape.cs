namespace Ioxide.Pg;

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

    internal readonly bool HasUsualBounds
    {
        get
        {
            for (int dimension = 0; dimension < Rank; dimension++)
            {
                if (LowerBounds[dimension] != 1)
                {
                    return false;
                }
            }

            return true;
        }
    }

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

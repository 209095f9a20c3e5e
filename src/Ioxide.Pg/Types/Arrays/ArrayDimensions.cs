using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

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

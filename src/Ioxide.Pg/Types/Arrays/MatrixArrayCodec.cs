using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>Arrays of two dimensions as <c>T[,]</c>; lower bounds are not kept.</summary>
internal sealed class MatrixArrayCodec<T>(PgCodec<T> element) : ArrayCodec<T[,], T>(element)
{
    protected override ReadOnlySpan<T> Items(T[,] value)
        => value.Length == 0 ? [] : MemoryMarshal.CreateReadOnlySpan(ref value[0, 0], value.Length);

    protected override ArrayShape ShapeOf(T[,] value)
    {
        ArrayShape shape = default;
        shape.Rank = value.Length == 0 ? 0 : 2;
        shape.Lengths = ArrayDimensions.Of([value.GetLength(0), value.GetLength(1)]);
        shape.LowerBounds = ArrayDimensions.Of([1, 1]);
        return shape;
    }

    protected override T[,] ReadBinary(ref ArrayView view, uint typeId)
    {
        T[,] matrix = Make(view.Shape, typeId);
        foreach (ref T item in All(matrix))
        {
            item = Element.Read(view.Next());
        }

        return matrix;
    }

    protected override T[,] Make(List<T> items, ArrayShape shape, uint typeId)
    {
        T[,] matrix = Make(shape, typeId);
        CollectionsMarshal.AsSpan(items).CopyTo(All(matrix));
        return matrix;
    }

    private static Span<T> All(T[,] matrix) => matrix.Length == 0 ? [] : MemoryMarshal.CreateSpan(ref matrix[0, 0], matrix.Length);

    private static T[,] Make(ArrayShape shape, uint typeId)
    {
        if (shape.Rank is not (0 or 2))
        {
            TypeErrors.ThrowRange<T[,]>(typeId, $"it has {shape.Rank} dimensions", $"PgArray<{TypeErrors.NameOf<T>()}>");
        }

        return new T[shape.Rank == 0 ? 0 : shape.Lengths[0], shape.Rank == 0 ? 0 : shape.Lengths[1]];
    }
}

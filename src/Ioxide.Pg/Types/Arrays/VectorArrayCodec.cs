using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>Arrays of one dimension as <c>T[]</c>; lower bounds are not kept.</summary>
internal sealed class VectorArrayCodec<T>(PgCodec<T> element) : ArrayCodec<T[], T>(element)
{
    protected override ReadOnlySpan<T> Items(T[] value) => value;

    protected override ArrayShape ShapeOf(T[] value) => ArrayShape.OfVector(value.Length);

    protected override T[] ReadBinary(ref ArrayView view, uint typeId)
    {
        CheckVector(view.Shape.Rank, typeId);
        int count = view.Shape.Count;
        T[] array = count == 0 ? [] : new T[count];
        for (int index = 0; index < array.Length; index++)
        {
            array[index] = Element.Read(view.Next());
        }

        return array;
    }

    protected override T[] Make(List<T> items, ArrayShape shape, uint typeId)
    {
        CheckVector(shape.Rank, typeId);
        return [.. CollectionsMarshal.AsSpan(items)];
    }
}

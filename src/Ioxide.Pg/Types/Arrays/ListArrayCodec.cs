using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>Arrays of one dimension as <c>List&lt;T&gt;</c>; lower bounds are not kept.</summary>
internal sealed class ListArrayCodec<T>(PgCodec<T> element) : ArrayCodec<List<T>, T>(element)
{
    protected override ReadOnlySpan<T> Items(List<T> value) => CollectionsMarshal.AsSpan(value);

    protected override ArrayShape ShapeOf(List<T> value) => ArrayShape.OfVector(value.Count);

    protected override List<T> ReadBinary(ref ArrayView view, uint typeId)
    {
        CheckVector(view.Shape.Rank, typeId);
        int count = view.Shape.Count;
        var list = new List<T>(count);
        for (int index = 0; index < count; index++)
        {
            list.Add(Element.Read(view.Next()));
        }

        return list;
    }

    protected override List<T> Make(List<T> items, ArrayShape shape, uint typeId)
    {
        CheckVector(shape.Rank, typeId);
        return items;
    }
}

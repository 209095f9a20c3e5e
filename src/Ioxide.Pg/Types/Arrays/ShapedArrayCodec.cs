namespace Ioxide.Pg;

/// <summary>Arrays of any dimensions as <see cref="PgArray{T}"/>, lossless.</summary>
internal sealed class ShapedArrayCodec<T>(PgCodec<T> element) : ArrayCodec<PgArray<T>, T>(element)
{
    protected override ReadOnlySpan<T> Items(PgArray<T> value) => value.Items;

    protected override ArrayShape ShapeOf(PgArray<T> value) => value.Shape;

    protected override PgArray<T> ReadBinary(ref ArrayView view, uint typeId)
    {
        ArrayShape shape = view.Shape;
        var items = new T[shape.Count];
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = Element.Read(view.Next());
        }

        return new PgArray<T>(items, shape);
    }

    protected override PgArray<T> Make(List<T> items, ArrayShape shape, uint typeId) => new(items.ToArray(), shape);
}

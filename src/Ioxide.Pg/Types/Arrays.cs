using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>The base of array codecs. A NULL element is read as null, or refused if the element type cannot be null.</summary>
/// <typeparam name="TArray">The .NET type that holds the elements.</typeparam>
/// <typeparam name="T">The .NET type of an element.</typeparam>
/// <remarks>
/// If the OID of the elements is not fixed by the .NET type (enums, composites), the array is sent as text, and the server infers its type:
/// the binary form names the elements' OID, and the server accepts no other.
/// </remarks>
internal abstract class ArrayCodec<TArray, T> : PgCodec<TArray>
    where TArray : notnull
{
    private const int HeaderBytes = 12;
    private const int DimensionBytes = 8;

    private readonly uint _elementId;

    protected ArrayCodec(PgCodec<T> element)
    {
        Element = element;

        // As scalars these three declare no type. In an array they are text and bytea, because unnest($1) needs a type.
        _elementId = typeof(T) == typeof(string) || typeof(T) == typeof(char) || typeof(T) == typeof(char?) ? PgTypeId.Text
            : typeof(T) == typeof(ReadOnlyMemory<byte>) || typeof(T) == typeof(ReadOnlyMemory<byte>?) ? PgTypeId.Bytea
            : element.ParameterFormat == PgFormat.Binary ? element.TypeId
            : 0;
        TypeId = PgTypeTable.ArrayOf(_elementId);
        ParameterFormat = TypeId == 0 ? PgFormat.Text : PgFormat.Binary;
    }

    public sealed override uint TypeId { get; }

    public sealed override PgFormat ParameterFormat { get; }

    public sealed override bool IsTypeFixed => Element.IsTypeFixed;

    protected PgCodec<T> Element { get; }

    public sealed override uint TypeIdOf(TArray value)
        => IsTypeFixed || value is null ? TypeId : PgTypeTable.ArrayOf(ElementIdOf(Items(value)));

    public sealed override int Measure(TArray value)
    {
        ReadOnlySpan<T> items = Items(value);
        if (ParameterFormat == PgFormat.Text)
        {
            return MeasureText(value);
        }

        uint elementId = ElementIdOf(items);
        long total = HeaderBytes + ShapeOf(value).Rank * DimensionBytes + items.Length * (long)sizeof(int);
        foreach (T item in items)
        {
            if (!Element.IsNull(item))
            {
                total += Element.Measure(item);
                if (!IsTypeFixed && Element.TypeIdOf(item) is var itemId && itemId != elementId && itemId != 0)
                {
                    TypeErrors.ThrowKind<TArray>(
                        PgTypeTable.NameOf(PgTypeTable.ArrayOf(elementId)), $"an element is of type {PgTypeTable.NameOf(Element.TypeIdOf(item))}");
                }
            }
        }

        return total <= int.MaxValue ? (int)total : throw new PgTypeException("The array is longer than 2 GiB on the wire.");
    }

    public sealed override void Write(TArray value, Span<byte> destination)
    {
        if (ParameterFormat == PgFormat.Text)
        {
            CopyText(value, destination);
            return;
        }

        WriteBinary(Items(value), ShapeOf(value), destination);
    }

    internal sealed override void WriteText(TArray value, ref Utf8Sink sink)
    {
        if (ParameterFormat == PgFormat.Text)
        {
            ArrayText.WriteParameter(Items(value), ShapeOf(value), Element, ref sink);
        }
        else
        {
            base.WriteText(value, ref sink);
        }
    }

    public sealed override TArray Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        PgTypeKind kind = PgTypeTable.KindOf(field.TypeId);
        if (kind != PgTypeKind.Array && (field.Format == PgFormat.Binary || kind != PgTypeKind.None))
        {
            TypeErrors.ThrowMismatch<TArray>(field.TypeId, field.Format);
        }

        if (field.Format == PgFormat.Text)
        {
            List<T> parsed = ArrayTextParser.Parse(field, Element, out ArrayShape shape);
            TArray read = Make(shape, field.TypeId, out Span<T> places);
            CollectionsMarshal.AsSpan(parsed).CopyTo(places);
            return read;
        }

        var view = new ArrayView(field.Bytes, field.TypeId);
        TArray array = Make(view.Shape, field.TypeId, out Span<T> items);
        foreach (ref T item in items)
        {
            item = Element.Read(view.Next());
        }

        view.End();
        return array;
    }

    protected abstract ReadOnlySpan<T> Items(TArray value);

    protected abstract ArrayShape ShapeOf(TArray value);

    /// <summary>Makes an array of a shape, whose elements are still to be set.</summary>
    /// <param name="shape">What the server sent.</param>
    /// <param name="typeId">The type, for error messages.</param>
    /// <param name="items">The places of all elements.</param>
    protected abstract TArray Make(in ArrayShape shape, uint typeId, out Span<T> items);

    protected static void CheckRank(bool fits, in ArrayShape shape, uint typeId)
    {
        if (!fits)
        {
            TypeErrors.ThrowRange<TArray>(typeId, $"it has {shape.Rank} dimensions", $"PgArray<{TypeErrors.NameOf<T>()}>");
        }
    }

    private uint ElementIdOf(ReadOnlySpan<T> items)
    {
        if (!IsTypeFixed)
        {
            foreach (T item in items)
            {
                // 0: this one fits any type.
                if (!Element.IsNull(item) && Element.TypeIdOf(item) is var itemId and not 0)
                {
                    return itemId;
                }
            }
        }

        return _elementId;
    }

    private void WriteBinary(ReadOnlySpan<T> items, ArrayShape shape, Span<byte> destination)
    {
        var writer = new WireWriter(destination);
        writer.WriteInt32(shape.Rank);
        writer.WriteInt32(HasNull(items) ? 1 : 0);
        writer.WriteUInt32(ElementIdOf(items));
        for (int dimension = 0; dimension < shape.Rank; dimension++)
        {
            writer.WriteInt32(shape.Lengths[dimension]);
            writer.WriteInt32(shape.LowerBounds[dimension]);
        }

        foreach (T item in items)
        {
            if (Element.IsNull(item))
            {
                writer.WriteInt32(-1);
                continue;
            }

            int length = Element.Measure(item);
            writer.WriteInt32(length);
            Element.Write(item, writer.Take(length));
        }
    }

    private bool HasNull(ReadOnlySpan<T> items)
    {
        foreach (T item in items)
        {
            if (Element.IsNull(item))
            {
                return true;
            }
        }

        return false;
    }
}

/// <summary>Arrays of one dimension as <c>T[]</c>; lower bounds are not kept.</summary>
internal sealed class VectorArrayCodec<T>(PgCodec<T> element) : ArrayCodec<T[], T>(element)
{
    protected override ReadOnlySpan<T> Items(T[] value) => value;

    protected override ArrayShape ShapeOf(T[] value) => ArrayShape.OfVector(value.Length);

    protected override T[] Make(in ArrayShape shape, uint typeId, out Span<T> items)
    {
        CheckRank(shape.Rank <= 1, shape, typeId);
        T[] array = shape.Count == 0 ? [] : new T[shape.Count];
        items = array;
        return array;
    }
}

/// <summary>Arrays of one dimension as <c>List&lt;T&gt;</c>; lower bounds are not kept.</summary>
internal sealed class ListArrayCodec<T>(PgCodec<T> element) : ArrayCodec<List<T>, T>(element)
{
    protected override ReadOnlySpan<T> Items(List<T> value) => CollectionsMarshal.AsSpan(value);

    protected override ArrayShape ShapeOf(List<T> value) => ArrayShape.OfVector(value.Count);

    protected override List<T> Make(in ArrayShape shape, uint typeId, out Span<T> items)
    {
        CheckRank(shape.Rank <= 1, shape, typeId);
        var list = new List<T>(shape.Count);
        CollectionsMarshal.SetCount(list, shape.Count);
        items = CollectionsMarshal.AsSpan(list);
        return list;
    }
}

/// <summary>Arrays of any dimensions as <see cref="PgArray{T}"/>, lossless.</summary>
internal sealed class ShapedArrayCodec<T>(PgCodec<T> element) : ArrayCodec<PgArray<T>, T>(element)
{
    protected override ReadOnlySpan<T> Items(PgArray<T> value) => value.Items;

    protected override ArrayShape ShapeOf(PgArray<T> value) => value.Shape;

    protected override PgArray<T> Make(in ArrayShape shape, uint typeId, out Span<T> items)
    {
        var array = new T[shape.Count];
        items = array;
        return new PgArray<T>(array, shape);
    }
}

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

    protected override T[,] Make(in ArrayShape shape, uint typeId, out Span<T> items)
    {
        CheckRank(shape.Rank is 0 or 2, shape, typeId);
        var matrix = new T[shape.Rank == 0 ? 0 : shape.Lengths[0], shape.Rank == 0 ? 0 : shape.Lengths[1]];
        items = matrix.Length == 0 ? [] : MemoryMarshal.CreateSpan(ref matrix[0, 0], matrix.Length);
        return matrix;
    }
}

/// <summary><c>float4[]</c>; a <c>vector</c> of pgvector, which arrives as text in brackets, is read too.</summary>
internal sealed class SingleArrayCodec : PgCodec<float[]>
{
    private static readonly VectorArrayCodec<float> s_array = new(FloatCodecs.Single);

    public override uint TypeId => PgTypeId.Float4Array;

    public override int Measure(float[] value) => s_array.Measure(value);

    public override void Write(float[] value, Span<byte> destination) => s_array.Write(value, destination);

    public override float[] Read(PgField field)
        => field.Format == PgFormat.Text && !field.IsNull && !PgTypeTable.Knows(field.TypeId)
            && PgVectorCodec.TryParse(field.Bytes, out float[] values)
            ? values
            : s_array.Read(field);
}

/// <summary><c>int2vector</c> and <c>oidvector</c>: numbers with spaces between them as text, an array in binary.</summary>
/// <remarks>A column of them arrives as text, a field of a record in binary.</remarks>
internal sealed class NumberVectorCodec<T>(uint typeId, PgCodec<T> element) : PgCodec<T[]>
    where T : struct, IUtf8SpanParsable<T>
{
    public override uint TypeId => typeId;

    public override int Measure(T[] value) => throw NotSent();

    public override void Write(T[] value, Span<byte> destination) => throw NotSent();

    public override T[] Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        return field.Format == PgFormat.Binary ? ReadBinary(field) : ReadText(field);
    }

    private T[] ReadBinary(PgField field)
    {
        var view = new ArrayView(field.Bytes, field.TypeId);
        var items = new T[view.Shape.Count];
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = element.Read(view.Next());
        }

        view.End();
        return items;
    }

    private static T[] ReadText(PgField field)
    {
        ReadOnlySpan<byte> text = field.Bytes;
        T[] items = text.IsEmpty ? [] : new T[text.Count((byte)' ') + 1];
        int index = 0;
        foreach (Range range in text.Split((byte)' '))
        {
            if (index < items.Length && !T.TryParse(text[range], CultureInfo.InvariantCulture, out items[index++]))
            {
                TypeErrors.ThrowMalformed(field.TypeId, "its text is not numbers with spaces between them");
            }
        }

        return items;
    }

    private static NotSupportedException NotSent() => new("A vector is sent as text.");
}

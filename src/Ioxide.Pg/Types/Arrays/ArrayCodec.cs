using System.Buffers.Binary;

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
    private const int ScratchBytes = 256;

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
            var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
            ArrayText.WriteParameter(items, ShapeOf(value), Element, ref sink);
            int length = sink.Written.Length;
            sink.Dispose();
            return length;
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
            var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
            ArrayText.WriteParameter(Items(value), ShapeOf(value), Element, ref sink);
            sink.Written.CopyTo(destination);
            sink.Dispose();
            return;
        }

        WriteBinary(Items(value), ShapeOf(value), destination);
    }

    public sealed override TArray Read(PgField field)
    {
        if (field.IsNull)
        {
            return default(TArray) is null ? default! : throw new PgTypeException("A NULL cannot be read as an array that is a struct.");
        }

        PgTypeKind kind = PgTypeTable.KindOf(field.TypeId);
        if (kind != PgTypeKind.Array && (field.Format == PgFormat.Binary || kind != PgTypeKind.None))
        {
            return ReadOther(field);
        }

        if (field.Format == PgFormat.Text)
        {
            List<T> parsed = ArrayTextParser.Parse(field, Element, out ArrayShape parsedShape);
            return Make(parsed, parsedShape, field.TypeId);
        }

        var view = new ArrayView(field.Bytes, field.TypeId);
        TArray array = ReadBinary(ref view, field.TypeId);
        view.End();
        return array;
    }

    /// <summary>Reads a type that is not an array; usually an error.</summary>
    protected virtual TArray ReadOther(PgField field)
    {
        TypeErrors.ThrowMismatch<TArray>(field.TypeId, field.Format);
        return default;
    }

    protected abstract ReadOnlySpan<T> Items(TArray value);

    protected abstract ArrayShape ShapeOf(TArray value);

    protected abstract TArray ReadBinary(ref ArrayView view, uint typeId);

    protected abstract TArray Make(List<T> items, ArrayShape shape, uint typeId);

    protected static void CheckVector(int rank, uint typeId)
    {
        if (rank > 1)
        {
            TypeErrors.ThrowRange<TArray>(typeId, $"it has {rank} dimensions", $"PgArray<{TypeErrors.NameOf<T>()}>");
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

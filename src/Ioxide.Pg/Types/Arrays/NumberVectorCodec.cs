using System.Globalization;

namespace Ioxide.Pg;

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
            return null!; // NULL is null, as an element of an array of vectors.
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

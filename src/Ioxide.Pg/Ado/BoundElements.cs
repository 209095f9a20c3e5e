using System.Collections;

namespace Ioxide.Pg.Data;

/// <summary>Makes an array of a declared type from elements of others: each is converted as a value alone would be.</summary>
internal static class BoundElements
{
    /// <summary>Binds the elements.</summary>
    /// <param name="value">An array or a list; replaced.</param>
    /// <param name="elementId">The type of the elements that the declared array has; 0: it is no array.</param>
    /// <param name="arrayId">The declared type.</param>
    /// <param name="types">The types of the database.</param>
    /// <returns>The codec of the array; null: the value is neither an array nor a list, or an element does not become of the declared type.</returns>
    internal static ObjectCodec? Bind(ref object value, uint elementId, uint arrayId, TypeCatalog types)
    {
        if (elementId == 0 || value is not IList list)
        {
            return null;
        }

        var items = new BoundValue[list.Count];
        PgFormat format = PgFormat.Binary;
        int index = 0;
        foreach (object? item in list)
        {
            BoundValue bound = items[index++] = BoundValue.Of(item, null, elementId, types);
            if (bound.TypeId != elementId)
            {
                return null;
            }

            format = bound.IsNull || bound.Format == PgFormat.Binary ? format : PgFormat.Text;
        }

        value = list is Array { Rank: > 1 } matrix
            ? new PgArray<BoundValue>(items, [.. Enumerable.Range(0, matrix.Rank).Select(matrix.GetLength)])
            : new PgArray<BoundValue>(items);
        return new ObjectCodec<PgArray<BoundValue>>(new ShapedArrayCodec<BoundValue>(new Element(elementId, format)), arrayId);
    }

    /// <summary>One element, in the form that all of them have.</summary>
    private sealed class Element(uint typeId, PgFormat format) : PgCodec<BoundValue>
    {
        public override uint TypeId => typeId;

        public override PgFormat ParameterFormat => format;

        public override bool IsNull(BoundValue value) => value.IsNull;

        public override int Measure(BoundValue value) => format == PgFormat.Binary ? value.MeasureValue() : value.MeasureText();

        public override void Write(BoundValue value, Span<byte> destination)
        {
            if (format == PgFormat.Binary)
            {
                value.WriteValue(destination);
            }
            else
            {
                value.WriteText(destination);
            }
        }

        public override BoundValue Read(PgField field) => throw new NotSupportedException("A parameter is sent only.");
    }
}

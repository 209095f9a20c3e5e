namespace Ioxide.Pg;

/// <summary>Ranges: flags, then the bounds.</summary>
/// <remarks>
/// The kind of a <see cref="DateTime"/> decides between <c>tsrange</c> and <c>tstzrange</c>, between which there is no cast. A range without
/// bounds is the same for both, so it declares no type and the server infers it.
/// </remarks>
internal sealed class RangeCodec<T>(PgCodec<T> element) : ValueCodec<PgRange<T>>(PgTypeTable.RangeOf(element.TypeId))
{
    public override bool IsTypeFixed => element.IsTypeFixed;

    public override uint TypeIdOf(PgRange<T> value)
        => IsTypeFixed ? TypeId
            : value.HasLower ? PgTypeTable.RangeOf(element.TypeIdOf(value.Lower!)) // The bound exists.
            : value.HasUpper ? PgTypeTable.RangeOf(element.TypeIdOf(value.Upper!)) // The bound exists.
            : 0;

    internal override uint TypeIdOfNull => IsTypeFixed ? TypeId : 0;

    public override int Measure(PgRange<T> value)
    {
        if (!IsTypeFixed && value.HasLower && value.HasUpper && element.TypeIdOf(value.Lower!) != element.TypeIdOf(value.Upper!))
        {
            TypeErrors.ThrowKind<PgRange<T>>(PgTypeTable.NameOf(TypeIdOf(value)), "its bounds are of two types");
        }

        return 1 + (value.HasLower ? sizeof(int) + element.Measure(value.Lower!) : 0)
            + (value.HasUpper ? sizeof(int) + element.Measure(value.Upper!) : 0);
    }

    public override void Write(PgRange<T> value, Span<byte> destination)
    {
        var writer = new WireWriter(destination);
        writer.WriteByte((byte)value.Flags);
        if (value.HasLower)
        {
            int length = element.Measure(value.Lower!);
            writer.WriteInt32(length);
            element.Write(value.Lower!, writer.Take(length));
        }

        if (value.HasUpper)
        {
            int length = element.Measure(value.Upper!);
            writer.WriteInt32(length);
            element.Write(value.Upper!, writer.Take(length));
        }
    }

    /// <summary>Reads one range from the start of a text.</summary>
    internal bool TryTakeText(ref TextCursor cursor, uint elementId, out PgRange<T> value)
    {
        value = PgRange.Empty<T>();
        if (cursor.TryTake("empty"u8))
        {
            return true;
        }

        RangeFlags flags = cursor.TryTake((byte)'[') ? RangeFlags.LowerInclusive : RangeFlags.None;
        if (flags == RangeFlags.None && !cursor.TryTake((byte)'('))
        {
            return false;
        }

        var scratch = new Utf8Sink([]);
        try
        {
            if (!TextQuoting.TryTakePart(ref cursor, ","u8, ref scratch, out bool isLowerMissing) || !cursor.TryTake((byte)','))
            {
                return false;
            }

            T? lower = isLowerMissing ? default : element.Read(new PgField(scratch.Written, elementId, PgFormat.Text));
            if (!TextQuoting.TryTakePart(ref cursor, ")]"u8, ref scratch, out bool isUpperMissing))
            {
                return false;
            }

            T? upper = isUpperMissing ? default : element.Read(new PgField(scratch.Written, elementId, PgFormat.Text));
            flags |= isLowerMissing ? RangeFlags.LowerInfinite : 0;
            flags |= isUpperMissing ? RangeFlags.UpperInfinite : 0;
            flags |= cursor.TryTake((byte)']') ? RangeFlags.UpperInclusive : 0;
            value = new PgRange<T>(flags, lower, upper);
            return (flags & RangeFlags.UpperInclusive) != 0 || cursor.TryTake((byte)')');
        }
        finally
        {
            scratch.Dispose();
        }
    }

    protected override bool Reads(uint typeId) => PgTypeTable.KindOf(typeId) == PgTypeKind.Range;

    protected override PgRange<T> ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        var view = new RangeView(bytes, typeId);
        return new PgRange<T>(
            view.Flags,
            view.HasLower ? element.Read(view.Lower) : default,
            view.HasUpper ? element.Read(view.Upper) : default);
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgRange<T> value)
    {
        var cursor = new TextCursor(text);
        return TryTakeText(ref cursor, PgTypeTable.ElementOf(typeId), out value) && cursor.IsAtEnd;
    }
}

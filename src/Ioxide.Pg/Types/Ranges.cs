namespace Ioxide.Pg;

/// <summary>Creates ranges without one or both bounds.</summary>
public static class PgRange
{
    /// <summary>Returns the empty range.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    public static PgRange<T> Empty<T>() => new(RangeFlags.Empty, default, default);

    /// <summary>Returns the range of all values.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    public static PgRange<T> All<T>() => new(RangeFlags.LowerInfinite | RangeFlags.UpperInfinite, default, default);

    /// <summary>Creates a range without an upper bound.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    /// <param name="lower">The lower bound.</param>
    /// <param name="inclusive">Whether the bound is in the range.</param>
    public static PgRange<T> From<T>(T lower, bool inclusive = true)
        => new(RangeFlags.UpperInfinite | (inclusive ? RangeFlags.LowerInclusive : 0), lower, default);

    /// <summary>Creates a range without a lower bound.</summary>
    /// <typeparam name="T">The type of the bounds.</typeparam>
    /// <param name="upper">The upper bound.</param>
    /// <param name="inclusive">Whether the bound is in the range.</param>
    public static PgRange<T> To<T>(T upper, bool inclusive = false)
        => new(RangeFlags.LowerInfinite | (inclusive ? RangeFlags.UpperInclusive : 0), default, upper);
}

/// <summary>A PostgreSQL range. A multirange is an array of ranges.</summary>
/// <typeparam name="T">The type of the bounds.</typeparam>
public readonly record struct PgRange<T>
{
    /// <summary>Creates a range with two bounds.</summary>
    /// <param name="lower">The lower bound.</param>
    /// <param name="lowerInclusive">Whether the lower bound is in the range.</param>
    /// <param name="upper">The upper bound.</param>
    /// <param name="upperInclusive">Whether the upper bound is in the range.</param>
    public PgRange(T lower, bool lowerInclusive, T upper, bool upperInclusive)
    {
        Lower = lower;
        Upper = upper;
        Flags = RangeFlags.None | (lowerInclusive ? RangeFlags.LowerInclusive : 0) | (upperInclusive ? RangeFlags.UpperInclusive : 0);
    }

    internal PgRange(RangeFlags flags, T? lower, T? upper)
    {
        Flags = flags;
        Lower = lower;
        Upper = upper;
    }

    /// <summary>The lower bound; the default value if there is none.</summary>
    public T? Lower { get; }

    /// <summary>The upper bound; the default value if there is none.</summary>
    public T? Upper { get; }

    /// <summary>Whether the range is empty.</summary>
    public bool IsEmpty => (Flags & RangeFlags.Empty) != 0;

    /// <summary>Whether the lower bound is in the range.</summary>
    public bool LowerInclusive => (Flags & RangeFlags.LowerInclusive) != 0;

    /// <summary>Whether the upper bound is in the range.</summary>
    public bool UpperInclusive => (Flags & RangeFlags.UpperInclusive) != 0;

    /// <summary>Whether there is no lower bound.</summary>
    public bool LowerInfinite => (Flags & RangeFlags.LowerInfinite) != 0;

    /// <summary>Whether there is no upper bound.</summary>
    public bool UpperInfinite => (Flags & RangeFlags.UpperInfinite) != 0;

    internal RangeFlags Flags { get; }

    internal bool HasLower => (Flags & (RangeFlags.Empty | RangeFlags.LowerInfinite)) == 0;

    internal bool HasUpper => (Flags & (RangeFlags.Empty | RangeFlags.UpperInfinite)) == 0;

    /// <summary>Returns the bounds in .NET's format, in PostgreSQL's brackets.</summary>
    public override string ToString()
        => IsEmpty
            ? "empty"
            : $"{(LowerInclusive ? '[' : '(')}{(HasLower ? Lower?.ToString() : "")},"
                + $"{(HasUpper ? Upper?.ToString() : "")}{(UpperInclusive ? ']' : ')')}";
}

/// <summary>The first byte of a range on the wire. Source: src/include/utils/rangetypes.h.</summary>
[Flags]
internal enum RangeFlags : byte
{
    None = 0,
    Empty = 0x01,
    LowerInclusive = 0x02,
    UpperInclusive = 0x04,
    LowerInfinite = 0x08,
    UpperInfinite = 0x10,
}

/// <summary>The wire form of a range, read without a copy: flags, then the existing bounds, each with its length.</summary>
internal readonly ref struct RangeView
{
    internal RangeView(ReadOnlySpan<byte> wire, uint typeId)
    {
        var reader = new FieldReader(wire, typeId);
        Flags = (RangeFlags)reader.ReadByte();
        HasLower = (Flags & (RangeFlags.Empty | RangeFlags.LowerInfinite)) == 0;
        HasUpper = (Flags & (RangeFlags.Empty | RangeFlags.UpperInfinite)) == 0;
        uint elementId = PgTypeTable.ElementOf(typeId);
        Lower = HasLower ? reader.ReadField(elementId) : PgField.Null(elementId);
        Upper = HasUpper ? reader.ReadField(elementId) : PgField.Null(elementId);
        reader.End();
    }

    internal RangeFlags Flags { get; }

    internal bool HasLower { get; }

    internal bool HasUpper { get; }

    internal PgField Lower { get; }

    internal PgField Upper { get; }
}

/// <summary>Ranges: flags, then the bounds.</summary>
/// <remarks>
/// The kind of a <see cref="DateTime"/> decides between <c>tsrange</c> and <c>tstzrange</c>, between which there is no cast. A range without
/// bounds is the same for both, so it declares no type and the server infers it.
/// </remarks>
internal sealed class RangeCodec<T>(PgCodec<T> element) : BuiltInCodec<PgRange<T>>(PgTypeTable.RangeOf(element.TypeId))
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

    internal override bool Reads(uint typeId) => PgTypeTable.KindOf(typeId) == PgTypeKind.Range;

    internal override PgRange<T> ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        var view = new RangeView(bytes, typeId);
        return new PgRange<T>(
            view.Flags,
            view.HasLower ? element.Read(view.Lower) : default,
            view.HasUpper ? element.Read(view.Upper) : default);
    }

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgRange<T> value)
    {
        var cursor = new TextCursor(text);
        return TryTakeText(ref cursor, PgTypeTable.ElementOf(typeId), out value) && cursor.IsAtEnd;
    }
}

/// <summary><c>PgRange&lt;T&gt;[]</c>: sent as a multirange; read from multiranges and from arrays of ranges.</summary>
internal sealed class MultiRangeCodec<T>(RangeCodec<T> range) : PgCodec<PgRange<T>[]>
{
    private readonly VectorArrayCodec<PgRange<T>> _array = new(range);

    public override uint TypeId { get; } = PgTypeTable.RangeOf(range.TypeId);

    public override bool IsTypeFixed => range.IsTypeFixed;

    public override uint TypeIdOf(PgRange<T>[] value)
    {
        foreach (PgRange<T> item in value ?? [])
        {
            if (item.HasLower || item.HasUpper)
            {
                return PgTypeTable.RangeOf(range.TypeIdOf(item));
            }
        }

        return IsTypeFixed ? TypeId : 0;
    }

    public override int Measure(PgRange<T>[] value)
    {
        int total = sizeof(int);
        uint typeId = TypeIdOf(value);
        foreach (PgRange<T> item in value)
        {
            total = checked(total + sizeof(int) + range.Measure(item));
            if (!IsTypeFixed && (item.HasLower || item.HasUpper) && PgTypeTable.RangeOf(range.TypeIdOf(item)) != typeId)
            {
                TypeErrors.ThrowKind<PgRange<T>[]>(PgTypeTable.NameOf(typeId), "its ranges are of two types");
            }
        }

        return total;
    }

    public override void Write(PgRange<T>[] value, Span<byte> destination)
    {
        var writer = new WireWriter(destination);
        writer.WriteInt32(value.Length);
        foreach (PgRange<T> item in value)
        {
            int length = range.Measure(item);
            writer.WriteInt32(length);
            range.Write(item, writer.Take(length));
        }
    }

    public override PgRange<T>[] Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        // In the text of a multirange brackets follow the brace; in that of an array quotes do.
        bool isMultiRange = PgTypeTable.KindOf(field.TypeId) == PgTypeKind.MultiRange
            || (!PgTypeTable.Knows(field.TypeId) && field.Bytes is [(byte)'{', (byte)'[' or (byte)'(', ..]);
        return !isMultiRange ? _array.Read(field)
            : field.Format == PgFormat.Text ? ReadText(field)
            : ReadBinary(field);
    }

    private PgRange<T>[] ReadBinary(PgField field)
    {
        var reader = new FieldReader(field.Bytes, field.TypeId);
        int count = reader.ReadCount(sizeof(int));
        PgRange<T>[] ranges = count == 0 ? [] : new PgRange<T>[count];
        uint rangeId = PgTypeTable.ElementOf(field.TypeId);
        for (int index = 0; index < ranges.Length; index++)
        {
            ranges[index] = range.Read(reader.ReadField(rangeId));
        }

        reader.End();
        return ranges;
    }

    private PgRange<T>[] ReadText(PgField field)
    {
        uint elementId = PgTypeTable.ElementOf(PgTypeTable.ElementOf(field.TypeId));
        var ranges = new List<PgRange<T>>();
        var cursor = new TextCursor(field.Bytes);
        bool isValid = cursor.TryTake((byte)'{');
        while (isValid && !cursor.TryTake((byte)'}'))
        {
            PgRange<T> item = default;
            isValid = (ranges.Count == 0 || cursor.TryTake((byte)',')) && range.TryTakeText(ref cursor, elementId, out item);
            ranges.Add(item);
        }

        if (!isValid || !cursor.IsAtEnd)
        {
            TypeErrors.ThrowText<PgRange<T>[]>(field.TypeId);
        }

        return [.. ranges];
    }
}

/// <summary>Prints ranges and multiranges as the server does.</summary>
internal static class RangeText
{
    private const int ScratchBytes = 256;

    internal static void Write(scoped ReadOnlySpan<byte> wire, uint typeId, ref Utf8Sink sink)
    {
        var view = new RangeView(wire, typeId);
        if ((view.Flags & RangeFlags.Empty) != 0)
        {
            sink.Write("empty"u8);
            return;
        }

        sink.Write((view.Flags & RangeFlags.LowerInclusive) != 0 ? '[' : '(');
        if (view.HasLower)
        {
            WriteBound(view.Lower, ref sink);
        }

        sink.Write(',');
        if (view.HasUpper)
        {
            WriteBound(view.Upper, ref sink);
        }

        sink.Write((view.Flags & RangeFlags.UpperInclusive) != 0 ? ']' : ')');
    }

    internal static void WriteMulti(scoped ReadOnlySpan<byte> wire, uint typeId, ref Utf8Sink sink)
    {
        var reader = new FieldReader(wire, typeId);
        uint rangeId = PgTypeTable.ElementOf(typeId);
        sink.Write('{');
        for (int count = reader.ReadCount(sizeof(int)), index = 0; index < count; index++)
        {
            sink.Write(index == 0 ? [] : ","u8);
            Write(reader.ReadField(rangeId).Bytes, rangeId, ref sink);
        }

        reader.End();
        sink.Write('}');
    }

    private static void WriteBound(scoped PgField bound, ref Utf8Sink sink)
    {
        var scratch = new Utf8Sink(stackalloc byte[ScratchBytes]);
        try
        {
            FieldText.WriteScalar(bound, ref scratch);
            TextQuoting.WriteBound(scratch.Written, ref sink);
        }
        finally
        {
            scratch.Dispose();
        }
    }
}

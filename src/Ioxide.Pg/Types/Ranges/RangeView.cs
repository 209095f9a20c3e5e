namespace Ioxide.Pg;

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

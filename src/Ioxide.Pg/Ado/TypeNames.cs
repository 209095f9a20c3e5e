using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>SQL names of types: <c>integer</c>, <c>character varying(10)</c>, <c>text[]</c>.</summary>
internal static class TypeNames
{
    // A modifier includes the 4 bytes of the length word.
    private const int ModifierOffset = 4;

    // The lower half of an interval's modifier; the upper half names its fields.
    private const int AnyPrecision = 0xffff;

    internal static string Of(uint typeId, int modifier)
    {
        PgTypeEntry entry = PgTypeTable.Find(typeId);
        return entry.Kind == PgTypeKind.Array ? Of(entry.ElementId, modifier) + "[]" : Of(entry.TypeId == 0 ? typeId : entry.TypeId) switch
        {
            "timestamp with time zone" when modifier >= 0 => With("timestamp", modifier, " with time zone"),
            "time with time zone" when modifier >= 0 => With("time", modifier, " with time zone"),
            "timestamp without time zone" when modifier >= 0 => With("timestamp", modifier, " without time zone"),
            "time without time zone" when modifier >= 0 => With("time", modifier, " without time zone"),
            "numeric" when modifier >= ModifierOffset => Numeric(modifier),
            "interval" when HasPrecision(modifier) => With("interval", modifier & AnyPrecision, ""),
            "character" or "character varying" when modifier < ModifierOffset => Of(typeId),
            "character" when modifier == ModifierOffset + 1 => "character", // As SQL reads the bare name.
            "character" => With("character", modifier - ModifierOffset, ""),
            "character varying" => With("character varying", modifier - ModifierOffset, ""),
            "bit" when modifier >= 0 => With("bit", modifier, ""),
            "bit varying" when modifier >= 0 => With("bit varying", modifier, ""),
            string name => name,
        };
    }

    /// <summary>The most characters that a text may have; null if there is no limit.</summary>
    internal static int? LengthOf(uint typeId, int modifier)
        => typeId is PgTypeId.VarChar or PgTypeId.BpChar && modifier >= ModifierOffset ? modifier - ModifierOffset
            : typeId is PgTypeId.Bit or PgTypeId.VarBit && modifier >= 0 ? modifier
            : null;

    internal static int? PrecisionOf(uint typeId, int modifier)
        => typeId == PgTypeId.Numeric && modifier >= ModifierOffset ? (modifier - ModifierOffset) >> 16 & 0xffff
            : typeId is PgTypeId.Timestamp or PgTypeId.TimestampTz or PgTypeId.Time or PgTypeId.TimeTz && modifier >= 0 ? modifier
            : typeId == PgTypeId.Interval && HasPrecision(modifier) ? modifier & AnyPrecision
            : null;

    /// <summary>The digits after the point; null for none, as for a numeric without a modifier.</summary>
    internal static int? ScaleOf(uint typeId, int modifier)
        => typeId == PgTypeId.Numeric && modifier >= ModifierOffset && (modifier - ModifierOffset & 0x7ff) is var scale and not 0 ? scale : null;

    private static bool HasPrecision(int intervalModifier) => intervalModifier >= 0 && (intervalModifier & AnyPrecision) != AnyPrecision;

    private static string Of(uint typeId) => PgTypeTable.Find(typeId).SqlName ?? PgTypeTable.NameOf(typeId);

    private static string Numeric(int modifier)
    {
        int value = modifier - ModifierOffset;
        int precision = (value >> 16) & 0xffff;
        return (value & 0x7ff) is var scale and not 0
            ? string.Create(CultureInfo.InvariantCulture, $"numeric({precision}, {scale})")
            : With("numeric", precision, "");
    }

    private static string With(string name, int number, string suffix) => string.Create(CultureInfo.InvariantCulture, $"{name}({number}){suffix}");
}

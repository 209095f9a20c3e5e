using System.Text;

namespace Ioxide.Pg;

/// <summary>A database enum. It is sent as its label, and the server infers the enum type.</summary>
internal sealed class EnumCodec<TEnum> : PgCodec<TEnum>
    where TEnum : struct, Enum
{
    // NAMEDATALEN - 1 of PostgreSQL.
    private const int MaxLabelBytes = 63;

    private readonly TEnum[] _values;
    private readonly byte[][] _labels;

    [ApplicationSide]
    internal EnumCodec([ApplicationSide] Func<TEnum, string>? label)
    {
        _values = [.. Enum.GetValues<TEnum>().Distinct()];
        _labels = [.. _values.Select(value => WireText.Encoding.GetBytes(label?.Invoke(value) ?? Data.MappedType.SnakeCase(value.ToString())))];
        if (_labels.Select(Convert.ToHexString).Distinct().Count() != _labels.Length)
        {
            throw new ArgumentException($"Two values of {typeof(TEnum).Name} have one label.", nameof(label));
        }
    }

    public override uint TypeId => 0;

    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(TEnum value) => LabelOf(value).Length;

    public override void Write(TEnum value, Span<byte> destination) => LabelOf(value).CopyTo(destination);

    public override TEnum Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        if (PgTypeTable.Knows(field.TypeId) && PgTypeTable.KindOf(field.TypeId) != PgTypeKind.Text)
        {
            TypeErrors.ThrowMismatch<TEnum>(field.TypeId, field.Format);
        }

        for (int index = 0; index < _labels.Length; index++)
        {
            if (field.Bytes.SequenceEqual(_labels[index]))
            {
                return _values[index];
            }
        }

        string label = field.Bytes.Length <= MaxLabelBytes
            ? $"The label '{Encoding.UTF8.GetString(field.Bytes)}'" : $"A text of {field.Bytes.Length} bytes, too long for a label,";
        throw new PgTypeException($"{label} belongs to no value of {typeof(TEnum).Name}; see PgCodec.RegisterEnum.");
    }

    private byte[] LabelOf(TEnum value)
    {
        int index = Array.IndexOf(_values, value);
        return index >= 0 ? _labels[index] : throw new PgTypeException($"The value {value:D} of {typeof(TEnum).Name} has no label.");
    }
}

/// <summary>The label of an enum that is not mapped: UTF-8 in either form, under the OID of the database.</summary>
internal sealed class LabelCodec : PgCodec<string>
{
    internal static readonly LabelCodec Instance = new();

    public override uint TypeId => 0;

    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(string value) => StringCodec.Instance.Measure(value);

    public override void Write(string value, Span<byte> destination) => StringCodec.Instance.Write(value, destination);

    public override string Read(PgField field) => field.IsNull ? OfNull(field) : Encoding.UTF8.GetString(field.Bytes);
}

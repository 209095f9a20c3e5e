namespace Ioxide.Pg;

/// <summary>The base of codecs of built-in types: the fields that they accept, and the errors for others.</summary>
/// <param name="typeId">The OID that a parameter declares.</param>
internal abstract class ValueCodec<T>(uint typeId) : PgCodec<T>
{
    public sealed override uint TypeId { get; } = typeId;

    public override T Read(PgField field)
    {
        if (field.IsNull)
        {
            return OfNull(field);
        }

        if (field.Format == PgFormat.Binary)
        {
            if (!Reads(field.TypeId))
            {
                TypeErrors.ThrowMismatch<T>(field.TypeId, field.Format, Remedy);
            }

            return ReadBinary(field.Bytes, field.TypeId);
        }

        // An OID that is not built in may be any type: its text decides.
        if (!Reads(field.TypeId) && PgTypeTable.Knows(field.TypeId))
        {
            TypeErrors.ThrowMismatch<T>(field.TypeId, field.Format, Remedy);
        }

        if (!TryReadText(field.Bytes, field.TypeId, out T value))
        {
            TypeErrors.ThrowText<T>(field.TypeId);
        }

        return value;
    }

    /// <summary>The advice for a mismatch; null for the default advice.</summary>
    protected virtual string? Remedy => null;

    /// <summary>Whether the binary form of this type is understood.</summary>
    protected virtual bool Reads(uint typeId) => typeId == TypeId;

    protected abstract T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId);

    protected abstract bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value);

    /// <summary>Checks the length of a binary form.</summary>
    protected internal static void CheckLength(ReadOnlySpan<byte> bytes, int lengthBytes, uint typeId)
    {
        if (bytes.Length != lengthBytes)
        {
            TypeErrors.ThrowMalformed(typeId, $"it has {bytes.Length} bytes, not {lengthBytes}");
        }
    }
}

/// <summary>A codec whose wire form has a fixed length.</summary>
internal abstract class FixedCodec<T>(uint typeId, int lengthBytes) : ValueCodec<T>(typeId)
{
    protected int LengthBytes { get; } = lengthBytes;

    public sealed override int Measure(T value) => LengthBytes;
}

/// <summary>A value that may be NULL.</summary>
internal sealed class NullableCodec<T>(PgCodec<T> inner) : PgCodec<T?>
    where T : struct
{
    public override uint TypeId => inner.TypeId;

    public override PgFormat ParameterFormat => inner.ParameterFormat;

    public override bool IsTypeFixed => inner.IsTypeFixed;

    internal override uint TypeIdOfNull => inner.TypeIdOfNull;

    public override uint TypeIdOf(T? value) => value.HasValue ? inner.TypeIdOf(value.GetValueOrDefault()) : inner.TypeIdOfNull;

    public override bool IsNull(T? value) => !value.HasValue;

    public override int Measure(T? value) => inner.Measure(value.GetValueOrDefault());

    public override void Write(T? value, Span<byte> destination) => inner.Write(value.GetValueOrDefault(), destination);

    public override T? Read(PgField field) => field.IsNull ? null : inner.Read(field);
}

namespace Ioxide.Pg;

/// <summary>The base of codecs of built-in types: the fields that they accept, and the errors for others.</summary>
/// <param name="typeId">The OID that a parameter declares.</param>
internal abstract class BuiltInCodec<T>(uint typeId) : PgCodec<T>
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
    internal virtual string? Remedy => null;

    /// <summary>Whether the binary form of this type is understood.</summary>
    internal virtual bool Reads(uint typeId) => typeId == TypeId;

    internal abstract T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId);

    internal abstract bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value);

    /// <summary>Checks the length of a binary form.</summary>
    internal static void CheckLength(ReadOnlySpan<byte> bytes, int lengthBytes, uint typeId)
    {
        if (bytes.Length != lengthBytes)
        {
            TypeErrors.ThrowLength(typeId, bytes.Length, lengthBytes);
        }
    }
}

/// <summary>A codec whose wire form has a fixed length.</summary>
internal abstract class FixedCodec<T>(uint typeId, int lengthBytes) : BuiltInCodec<T>(typeId)
{
    protected int LengthBytes { get; } = lengthBytes;

    public sealed override int Measure(T value) => LengthBytes;
}

/// <summary>A type that is read as another one, and converted from it.</summary>
/// <typeparam name="T">The type.</typeparam>
/// <typeparam name="TExact">A type that holds every value of the server.</typeparam>
internal abstract class ConvertedCodec<T, TExact>(uint typeId, BuiltInCodec<TExact> exact) : BuiltInCodec<T>(typeId)
{
    internal override bool Reads(uint typeId) => exact.Reads(typeId);

    internal override T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => FromExact(exact.ReadBinary(bytes, typeId));

    internal override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value)
    {
        bool isRead = exact.TryReadText(text, typeId, out TExact found);
        value = isRead ? FromExact(found) : default!; // The caller throws.
        return isRead;
    }

    /// <exception cref="PgTypeException">The type does not hold the value.</exception>
    protected abstract T FromExact(TExact value);
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

    internal override void WriteText(T? value, ref Utf8Sink sink) => inner.WriteText(value.GetValueOrDefault(), ref sink);
}

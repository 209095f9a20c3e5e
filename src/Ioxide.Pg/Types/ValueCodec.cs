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
            return OfNull(field.TypeId);
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

    private static T OfNull(uint typeId)
    {
        if (default(T) is not null)
        {
            TypeErrors.ThrowNull<T>(typeId);
        }

        return default!; // NULL is null for a type that can be null.
    }
}

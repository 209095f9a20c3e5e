namespace Ioxide.Pg;

/// <summary>One value of a row in the receive buffer. A codec cannot read beyond it.</summary>
/// <param name="bytes">The value in its wire form, without its length; empty if it is NULL.</param>
/// <param name="typeId">The type's OID; 0 if it is not known.</param>
/// <param name="format">The form of <paramref name="bytes"/>.</param>
/// <param name="isNull">Whether the value is NULL.</param>
public readonly ref struct PgField(ReadOnlySpan<byte> bytes, uint typeId, PgFormat format, bool isNull = false)
{
    /// <summary>The value in its wire form, without its length; empty if it is NULL.</summary>
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    /// <summary>The type's OID, for a domain that of its base type; 0 if it is not known.</summary>
    public uint TypeId { get; } = typeId;

    /// <summary>The form of <see cref="Bytes"/>.</summary>
    public PgFormat Format { get; } = format;

    /// <summary>Whether the value is NULL.</summary>
    public bool IsNull { get; } = isNull;

    /// <summary>Returns a NULL of a type.</summary>
    /// <param name="typeId">The type's OID.</param>
    /// <returns>The field.</returns>
    public static PgField Null(uint typeId) => new([], typeId, PgFormat.Binary, isNull: true);

    /// <summary>Whether the value is not NULL, in binary form, and of this type.</summary>
    internal bool IsBinary(uint typeId) => TypeId == typeId && Format == PgFormat.Binary && !IsNull;
}

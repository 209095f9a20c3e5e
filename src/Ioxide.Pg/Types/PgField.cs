namespace Ioxide.Pg;

/// <summary>One value of a row, over the receive buffer. It is closed: a codec can read no byte beyond it.</summary>
/// <param name="bytes">The value in its wire form, without its length; empty where it is NULL.</param>
/// <param name="typeId">The type's OID; 0 where it is not known.</param>
/// <param name="format">The form that <paramref name="bytes"/> have.</param>
/// <param name="isNull">Whether the value is NULL.</param>
public readonly ref struct PgField(ReadOnlySpan<byte> bytes, uint typeId, PgFormat format, bool isNull = false)
{
    /// <summary>The value in its wire form, without its length; empty where it is NULL.</summary>
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    /// <summary>The type's OID, of a domain that of its base type; 0 where it is not known.</summary>
    public uint TypeId { get; } = typeId;

    /// <summary>The form that <see cref="Bytes"/> have.</summary>
    public PgFormat Format { get; } = format;

    /// <summary>Whether the value is NULL.</summary>
    public bool IsNull { get; } = isNull;

    /// <summary>A NULL of a type.</summary>
    /// <param name="typeId">The type's OID.</param>
    /// <returns>The field.</returns>
    public static PgField Null(uint typeId) => new([], typeId, PgFormat.Binary, isNull: true);

    /// <summary>Whether the value is there, in binary form, and of this type.</summary>
    internal bool IsBinary(uint typeId) => TypeId == typeId && Format == PgFormat.Binary && !IsNull;
}

namespace Ioxide.Http2;

/// <summary>Takes the fields of a header block in their order.</summary>
internal interface IHpackFields
{
    /// <summary>A field that a table holds now, or that was just added to one.</summary>
    void OnField(HpackField field);

    /// <summary>A field that no table holds.</summary>
    /// <param name="tableName">The field of a table whose name it has; null where the name was written out.</param>
    /// <param name="name">Valid until the call returns.</param>
    /// <param name="value">Valid until the call returns.</param>
    /// <param name="isNeverIndexed">It must stay a literal where it is passed on (RFC 7541, section 6.2.3).</param>
    void OnLiteral(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNeverIndexed);
}

namespace Ioxide.Http2;

/// <summary>Receives the fields of a header block, in order.</summary>
internal interface IHpackFields
{
    /// <summary>A field from a table, or one just added to it.</summary>
    void OnField(HpackField field);

    /// <summary>A field that is in no table.</summary>
    /// <param name="tableName">The table field with the same name; null if the name was written out.</param>
    /// <param name="name">Valid until the call returns.</param>
    /// <param name="value">Valid until the call returns.</param>
    /// <param name="isNeverIndexed">It must stay a literal when it is forwarded (RFC 7541, section 6.2.3).</param>
    void OnLiteral(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNeverIndexed);
}

namespace Ioxide.Http2;

/// <summary>One field of a table: immutable bytes, and the meaning read from them once.</summary>
/// <remarks>A field that recurs by its index needs no look at its bytes: whether they are allowed and their text are kept here.</remarks>
internal sealed class HpackField(byte[] name, byte[] value)
{
    /// <summary>The table's overhead per field, in bytes (RFC 7541, section 4.1).</summary>
    internal const int OverheadBytes = 32;

    internal byte[] Name { get; } = name;

    internal byte[] Value { get; } = value;

    /// <summary>The field's size in the table.</summary>
    internal int SizeBytes => Name.Length + Value.Length + OverheadBytes;

    /// <summary>
    /// The meaning that a request's reader found; null until then. Set by one connection's reader alone, or shared for the static table.
    /// </summary>
    internal object? Meaning { get; set; }
}

namespace Ioxide.Http2;

/// <summary>One field of a table: immutable bytes, and what was made of them once.</summary>
/// <remarks>A field that comes again by its index costs no look at its bytes: whether they are allowed and their text are kept here.</remarks>
internal sealed class HpackField(byte[] name, byte[] value)
{
    /// <summary>What a table counts for a field beside its bytes (RFC 7541, section 4.1).</summary>
    internal const int OverheadBytes = 32;

    internal byte[] Name { get; } = name;

    internal byte[] Value { get; } = value;

    /// <summary>What a table counts for it.</summary>
    internal int SizeBytes => Name.Length + Value.Length + OverheadBytes;

    /// <summary>What reading the request made of it; null until then. The reader of one connection alone sets it, or it is of the static table.</summary>
    internal object? Meaning { get; set; }
}

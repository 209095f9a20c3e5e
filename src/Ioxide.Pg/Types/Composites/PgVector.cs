namespace Ioxide.Pg;

/// <summary>A <c>vector</c> of the extension pgvector. It is sent as text, because its OID belongs to the extension.</summary>
/// <param name="values">The numbers.</param>
/// <remarks>A column of this type can also be read as <c>float[]</c>.</remarks>
public readonly struct PgVector(ReadOnlyMemory<float> values)
{
    /// <summary>The numbers.</summary>
    public ReadOnlyMemory<float> Values { get; } = values;
}

namespace Ioxide.Pg;

/// <summary>A <c>vector</c> of the extension pgvector. It travels as text, because its OID is the extension's.</summary>
/// <param name="values">The numbers.</param>
/// <remarks>A column of it can also be read as <c>float[]</c>.</remarks>
public readonly struct PgVector(ReadOnlyMemory<float> values)
{
    /// <summary>The numbers.</summary>
    public ReadOnlyMemory<float> Values { get; } = values;
}

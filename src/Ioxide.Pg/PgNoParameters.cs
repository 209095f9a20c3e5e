namespace Ioxide.Pg;

/// <summary>No parameters; also the start of a parameter list.</summary>
public readonly struct PgNoParameters : IPgParameters
{
    int IPgParameters.Count => 0;

    ulong IPgParameters.TypeKey => 0;

    /// <summary>A list with its first value.</summary>
    internal PgParameters<PgNoParameters, T> And<T>(T value) => new(this, value);

    int IPgParameters.Measure() => 0;

    void IPgParameters.Write(ref WireWriter writer)
    {
    }

    void IPgParameters.WriteTypes(ref WireWriter writer)
    {
    }

    void IPgParameters.WriteFormats(ref WireWriter writer)
    {
    }
}

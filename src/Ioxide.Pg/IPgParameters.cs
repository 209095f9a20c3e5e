namespace Ioxide.Pg;

/// <summary>The parameter values of a query. They write themselves into the message without boxing.</summary>
public interface IPgParameters
{
    internal int Count { get; }

    /// <summary>Returns the number of bytes of all values with their lengths.</summary>
    internal int Measure();

    /// <summary>Writes the length and the bytes of each value; NULL is the length -1.</summary>
    internal void Write(ref WireWriter writer);

    /// <summary>Writes the type of each parameter; 0 leaves it to the server.</summary>
    internal void WriteTypes(ref WireWriter writer);

    /// <summary>Writes the format of each parameter.</summary>
    internal void WriteFormats(ref WireWriter writer);

    /// <summary>0 if every value has the usual PostgreSQL type of its .NET type.</summary>
    internal ulong TypeKey { get; }
}

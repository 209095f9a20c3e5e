namespace Ioxide.Pg;

/// <summary>A value cannot be read as, or written from, the type asked for.</summary>
public sealed class PgTypeException : InvalidCastException
{
    internal PgTypeException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>The types fit; the value lies outside what the .NET type can hold.</summary>
    internal bool IsRange { get; init; }
}

namespace Ioxide.Pg;

/// <summary>A value cannot be read as, or written from, the requested type.</summary>
public sealed class PgTypeException : InvalidCastException
{
    internal PgTypeException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>The types fit, but the value is outside the range of the .NET type.</summary>
    internal bool IsRange { get; init; }

    /// <summary>A moment is of another kind than the type that it is sent as. ADO.NET's programs expect an <see cref="ArgumentException"/>.</summary>
    internal bool IsKind { get; init; }
}

namespace Ioxide.Pg;

/// <summary>The wire format of a value.</summary>
public enum PgFormat : byte
{
    /// <summary>As PostgreSQL prints it.</summary>
    Text = 0,

    /// <summary>As the type's send and receive functions define it, numbers big-endian.</summary>
    Binary = 1,
}

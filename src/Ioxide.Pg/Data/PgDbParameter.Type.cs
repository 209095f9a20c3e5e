namespace Ioxide.Pg.Data;

/// <summary>The PostgreSQL type, by name.</summary>
public sealed partial class PgDbParameter
{
    /// <summary>Creates a parameter with a name, a type and optionally a value.</summary>
    public PgDbParameter(string? name, PgDbType type, object? value = null)
        : this(name, value)
        => PgDbType = type;

    /// <summary>
    /// The PostgreSQL type; <see cref="PgDbType.None"/> means that <see cref="DbType"/> and the value decide. The same as <see cref="PgTypeId"/>.
    /// </summary>
    public PgDbType PgDbType
    {
        get => (PgDbType)PgTypeId;
        set => PgTypeId = (uint)value;
    }
}

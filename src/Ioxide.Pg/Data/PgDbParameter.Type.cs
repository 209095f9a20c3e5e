namespace Ioxide.Pg.Data;

/// <summary>The type by name.</summary>
public sealed partial class PgDbParameter
{
    /// <summary>Makes one with a name, a type and perhaps a value.</summary>
    public PgDbParameter(string? name, PgDbType type, object? value = null)
        : this(name, value)
        => PgDbType = type;

    /// <summary>The PostgreSQL type; <see cref="PgDbType.None"/> leaves it to <see cref="DbType"/> and the value. The same as <see cref="PgTypeId"/>.</summary>
    public PgDbType PgDbType
    {
        get => (PgDbType)PgTypeId;
        set => PgTypeId = (uint)value;
    }
}

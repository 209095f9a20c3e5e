namespace Ioxide.Pg.Data;

/// <summary>The PostgreSQL type, by name.</summary>
public sealed partial class PgDbParameter
{
    /// <summary>Creates a parameter with a name, a type and optionally a value.</summary>
    public PgDbParameter(string? name, PgDbType type, object? value = null)
        : this(name, value)
        => PgDbType = type;

    /// <summary>
    /// The name of the PostgreSQL type, also of one that the database defines: <c>citext[]</c>, <c>shop.color</c>. Null means that
    /// <see cref="PgDbType"/> decides. The command fails with an <see cref="ArgumentException"/> if the database has no such type.
    /// </summary>
    public string? DataTypeName
    {
        get => _dataTypeName;
        set => _dataTypeName = value;
    }

    /// <summary>
    /// The PostgreSQL type; <see cref="PgDbType.None"/> means that <see cref="DbType"/> and the value decide. The same as <see cref="PgTypeId"/>.
    /// </summary>
    public PgDbType PgDbType
    {
        get => (PgDbType)PgTypeId;
        set => PgTypeId = (uint)value;
    }

    private static uint NamedTypeId(string name, TypeCatalog types)
        => types.TypeIdOf(name) is var typeId and not 0 ? typeId : throw new ArgumentException(
            $"The database has no type '{name}' that the driver knows. If it was created just now, call {nameof(PgDbConnection.ReloadTypes)}.");
}

using System.Collections;
using System.Data;

namespace Ioxide.Pg.Data;

/// <summary>
/// The PostgreSQL type, by number, by name or by <see cref="System.Data.DbType"/>. What is not set follows from what is, as in Npgsql.
/// </summary>
/// <remarks>
/// Sent is the type of <see cref="DataTypeName"/>, else of <see cref="PgDbType"/>, else of <see cref="DbType"/>, else of the value.
/// </remarks>
public sealed partial class PgDbParameter
{
    private DbType? _dbType;
    private string? _dataTypeName;

    /// <summary>Creates a parameter with a name, a type and optionally a value.</summary>
    public PgDbParameter(string? name, PgDbType type, object? value = null)
        : this(name, value)
        => PgDbType = type;

    /// <summary>The PostgreSQL type, to which the value is converted. If not set, it follows from the other types, else from the value.</summary>
    public override DbType DbType
    {
        get => _dbType ?? ParameterConversion.DbTypeOf(_dataTypeName is not null ? NamedId : PgTypeId != 0 ? PgTypeId : ValueId);
        set => _dbType = value;
    }

    /// <summary>
    /// The name of the PostgreSQL type, also of one that the database defines: <c>citext[]</c>, <c>shop.color</c>. If not set, it follows from
    /// the other types, else from the value; null where the driver does not know it before the command runs. The command fails with an
    /// <see cref="ArgumentException"/> if the database has no such type.
    /// </summary>
    public string? DataTypeName
    {
        get => _dataTypeName ?? (PgDbType is not PgDbType.None and var type ? TypeNames.Of((uint)type, -1) : null);
        set => _dataTypeName = value;
    }

    /// <summary>
    /// The PostgreSQL type. If not set, it follows from the other types, else from the value; <see cref="PgDbType.None"/> if it is not known.
    /// </summary>
    public PgDbType PgDbType
    {
        get => (PgDbType)(PgTypeId != 0 ? PgTypeId
            : _dataTypeName is not null ? NamedId
            : _dbType is { } type ? ParameterConversion.TypeIdOf(type)
            : ValueId);
        set => PgTypeId = (uint)value;
    }

    /// <summary>The OID of the PostgreSQL type; 0 means that <see cref="DataTypeName"/>, <see cref="DbType"/> or the value decides.</summary>
    public uint PgTypeId { get; set; }

    private uint NamedId => TypeCatalog.Empty.TypeIdOf(_dataTypeName!);

    // What has to be read to be known is not read here.
    private uint ValueId => _value switch
    {
        null or DBNull => 0,
        Stream => global::Ioxide.Pg.PgTypeId.Bytea,
        TextReader => global::Ioxide.Pg.PgTypeId.Text,
        IEnumerable and not (string or ICollection or IDictionary<string, string?> or ArraySegment<byte> or ArraySegment<char>) => 0,
        _ => BoundValue.TypeIdOf(_value),
    };

    /// <summary>Forgets every type that was set: the value decides.</summary>
    public override void ResetDbType()
    {
        _dbType = null;
        _dataTypeName = null;
        PgTypeId = 0;
    }

    private static uint NamedTypeId(string name, TypeCatalog types)
        => types.TypeIdOf(name) is var typeId and not 0 ? typeId : throw new ArgumentException(
            $"The database has no type '{name}' that the driver knows. If it was created just now, call {nameof(PgDbConnection.ReloadTypes)}.");
}

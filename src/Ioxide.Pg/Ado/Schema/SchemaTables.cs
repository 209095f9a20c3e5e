using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>The collections that need no query, or that describe the others.</summary>
internal static class SchemaTables
{
    private static readonly (string Name, int Restrictions, int Parts)[] s_static =
        [("MetaDataCollections", 0, 0), ("DataSourceInformation", 0, 0), ("Restrictions", 0, 0), ("DataTypes", 0, 0)];

    /// <summary>The query of the database's types for <see cref="DataTypes"/>.</summary>
    internal const string TypesSql =
        """
        select format_type(t.oid, null), t.oid, t.typtype::text, t.typlen::int from pg_type t join pg_namespace n on n.oid = t.typnamespace
        where t.typtype in ('b', 'e', 'd', 'r', 'm') and t.oid <> 'unknown'::regtype order by t.oid
        """;

    internal static DataTable MetaDataCollections()
    {
        DataTable table = NewTable(
            "MetaDataCollections",
            ("CollectionName", typeof(string)), ("NumberOfRestrictions", typeof(int)), ("NumberOfIdentifierParts", typeof(int)));
        foreach ((string name, int restrictions, int parts) in s_static)
        {
            table.Rows.Add(name, restrictions, parts);
        }

        foreach (SchemaCollection collection in SchemaCollections.All)
        {
            table.Rows.Add(collection.Name, collection.Restrictions.Length, collection.IdentifierParts);
        }

        return table;
    }

    internal static DataTable Restrictions()
    {
        DataTable table = NewTable(
            "Restrictions",
            ("CollectionName", typeof(string)), ("RestrictionName", typeof(string)), ("RestrictionDefault", typeof(string)),
            ("RestrictionNumber", typeof(int)));
        foreach (SchemaCollection collection in SchemaCollections.All)
        {
            for (int i = 0; i < collection.Restrictions.Length; i++)
            {
                table.Rows.Add(collection.Name, collection.Restrictions[i].Name, collection.Restrictions[i].Column, i + 1);
            }
        }

        return table;
    }

    internal static DataTable DataSourceInformation(string version)
    {
        (string Name, Type Type, object Value)[] items =
        [
            ("CompositeIdentifierSeparatorPattern", typeof(string), @"\."),
            ("DataSourceProductName", typeof(string), "PostgreSQL"),
            ("DataSourceProductVersion", typeof(string), version),
            ("DataSourceProductVersionNormalized", typeof(string), Normalized(version)),
            ("GroupByBehavior", typeof(GroupByBehavior), GroupByBehavior.Unrelated),
            ("IdentifierPattern", typeof(string),
                @"(^\[\p{Lo}\p{Lu}\p{Ll}_@#][\p{Lo}\p{Lu}\p{Ll}\p{Nd}@$#_]*$)|(^\[[^\]\0]|\]\]+\]$)|(^\""[^\""\0]|\""\""+\""$)"),
            ("IdentifierCase", typeof(IdentifierCase), IdentifierCase.Insensitive),
            ("OrderByColumnsInSelect", typeof(bool), false),
            ("ParameterMarkerFormat", typeof(string), "{0}"),
            ("ParameterMarkerPattern", typeof(string), @"@[\p{Lo}\p{Lu}\p{Ll}\p{Lm}_@#][\p{Lo}\p{Lu}\p{Ll}\p{Lm}\p{Nd}\uff3f_@#\$]*(?=\s+|$)"),
            ("ParameterNameMaxLength", typeof(int), 63),
            ("QuotedIdentifierPattern", typeof(string), @"""(([^\""]|\""\"")*)"""),
            ("QuotedIdentifierCase", typeof(IdentifierCase), IdentifierCase.Sensitive),
            ("ParameterNamePattern", typeof(string), @"^[\p{Lo}\p{Lu}\p{Ll}\p{Lm}_@#][\p{Lo}\p{Lu}\p{Ll}\p{Lm}\p{Nd}\uff3f_@#\$]*(?=\s+|$)"),
            ("StatementSeparatorPattern", typeof(string), ";"),
            ("StringLiteralPattern", typeof(string), @"'(([^']|'')*)'"),
            ("SupportedJoinOperators", typeof(SupportedJoinOperators),
                SupportedJoinOperators.FullOuter | SupportedJoinOperators.Inner | SupportedJoinOperators.LeftOuter
                    | SupportedJoinOperators.RightOuter),
        ];
        DataTable table = NewTable("DataSourceInformation", [.. items.Select(static item => (item.Name, item.Type))]);
        table.Rows.Add([.. items.Select(static item => item.Value)]);
        return table;
    }

    internal static DataTable DataTypes()
        => NewTable(
            "DataTypes",
            ("TypeName", typeof(string)), ("ColumnSize", typeof(long)), ("CreateFormat", typeof(string)), ("CreateParameters", typeof(string)),
            ("DataType", typeof(string)), ("IsAutoIncrementable", typeof(bool)), ("IsBestMatch", typeof(bool)), ("IsCaseSensitive", typeof(bool)),
            ("IsConcurrencyType", typeof(bool)), ("IsFixedLength", typeof(bool)), ("IsFixedPrecisionAndScale", typeof(bool)),
            ("IsLiteralSupported", typeof(bool)), ("IsLong", typeof(bool)), ("IsNullable", typeof(bool)), ("IsSearchable", typeof(bool)),
            ("IsSearchableWithLike", typeof(bool)), ("IsUnsigned", typeof(bool)), ("LiteralPrefix", typeof(string)),
            ("LiteralSuffix", typeof(string)),
            ("MaximumScale", typeof(short)), ("MinimumScale", typeof(short)), ("NativeDataType", typeof(string)), ("ProviderDbType", typeof(int)),
            ("OID", typeof(uint)));

    /// <summary>Adds one type from a row of <see cref="TypesSql"/>.</summary>
    internal static void AddType(DataTable table, DbDataReader reader)
    {
        string name = reader.GetString(0);
        uint typeId = reader.GetFieldValue<uint>(1);
        Type type = ColumnReader.Of(typeId, -1).Type;
        DataRow row = table.NewRow();
        row["TypeName"] = row["NativeDataType"] = name;
        row["DataType"] = type.FullName;
        row["CreateFormat"] = typeId is PgTypeId.VarChar or PgTypeId.BpChar or PgTypeId.Bit or PgTypeId.VarBit ? $"{name}({{0}})"
            : typeId == PgTypeId.Numeric ? $"{name}({{0}},{{1}})" : name;
        row["CreateParameters"] = typeId switch
        {
            PgTypeId.VarChar or PgTypeId.BpChar or PgTypeId.Bit or PgTypeId.VarBit => "length",
            PgTypeId.Numeric => "precision, scale",
            _ => DBNull.Value,
        };
        row["IsAutoIncrementable"] = typeId is PgTypeId.Int2 or PgTypeId.Int4 or PgTypeId.Int8;
        row["IsBestMatch"] = !typeof(string).IsAssignableFrom(type) || typeId == PgTypeId.Text;
        row["IsCaseSensitive"] = type == typeof(string);
        row["IsFixedLength"] = reader.GetInt32(3) >= 0;
        row["IsFixedPrecisionAndScale"] = typeId is PgTypeId.Int2 or PgTypeId.Int4 or PgTypeId.Int8 or PgTypeId.Money;
        row["IsConcurrencyType"] = row["IsLong"] = false;
        row["IsNullable"] = row["IsSearchable"] = row["IsLiteralSupported"] = true;
        row["IsSearchableWithLike"] = typeId is PgTypeId.Text or PgTypeId.VarChar or PgTypeId.BpChar;
        row["IsUnsigned"] = type == typeof(uint) || type == typeof(ulong);
        row["LiteralPrefix"] = row["LiteralSuffix"] = "'";
        row["ProviderDbType"] = (int)typeId;
        row["OID"] = typeId;
        table.Rows.Add(row);
    }

    internal static DataTable NewTable(string name, params ReadOnlySpan<(string Name, Type Type)> columns)
        => WithColumns(new DataTable(name) { Locale = CultureInfo.InvariantCulture }, columns);

    [UnconditionalSuppressMessage("Trimming", "IL2111", Justification = "Columns are of the framework's scalars and enums.")]
    [UnconditionalSuppressMessage("Trimming", "IL2067", Justification = "Columns are of the framework's scalars and enums.")]
    internal static DataTable WithColumns(DataTable table, params ReadOnlySpan<(string Name, Type Type)> columns)
    {
        foreach ((string name, Type type) in columns)
        {
            table.Columns.Add(name, type);
        }

        return table;
    }

    /// <summary><c>15.4 (Debian ...)</c> becomes <c>015.004</c>: a text that sorts like the version.</summary>
    private static string Normalized(string version)
    {
        string number = new([.. version.TakeWhile(static c => char.IsAsciiDigit(c) || c == '.')]);
        return string.Join('.', number.Split('.', StringSplitOptions.RemoveEmptyEntries).Select(static part => part.PadLeft(3, '0')));
    }
}

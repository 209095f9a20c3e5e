using System.Data;

namespace Ioxide.Pg.Data;

/// <summary>One collection of <c>GetSchema</c>: a query over the catalogue, its columns, and its restrictions.</summary>
/// <param name="Name">The name, case-insensitive.</param>
/// <param name="Restrictions">The names of restrictions, in order, with the column that each compares.</param>
/// <param name="IdentifierParts">The number of name parts that identify a row.</param>
/// <param name="Columns">Name and type of each column, in the query's order.</param>
/// <param name="Sql">The query.</param>
internal sealed record SchemaCollection(
    string Name, (string Name, string Column)[] Restrictions, int IdentifierParts, (string Name, Type Type)[] Columns, string Sql)
{
    internal PgDbCommand CommandFor(PgDbConnection connection, string?[]? values)
    {
        values ??= [];
        if (values.Length > Restrictions.Length)
        {
            throw new ArgumentException($"{Name} takes {Restrictions.Length} restrictions; {values.Length} are given.", nameof(values));
        }

        var command = new PgDbCommand(null, connection);
        string where = "";
        for (int i = 0; i < values.Length; i++)
        {
            if (!string.IsNullOrEmpty(values[i]))
            {
                where += $"{(where.Length == 0 ? " where" : " and")} s.\"{Restrictions[i].Column}\" = ${command.Parameters.Count + 1}";
                command.Parameters.Add(new PgDbParameter(null, values[i]) { PgTypeId = PgTypeId.Text });
            }
        }

        string columns = string.Join(", ", Columns.Select(static column => $"\"{column.Name}\""));
        command.CommandText = $"select * from ({Sql}) s({columns}){where}";
        return command;
    }

    internal DataTable NewTable()
    {
        var table = new DataTable(Name) { Locale = System.Globalization.CultureInfo.InvariantCulture };
        foreach ((string name, Type type) in Columns)
        {
            SchemaTables.AddColumn(table, name, type);
        }

        return table;
    }
}

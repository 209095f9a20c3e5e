using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>The parameters of a function or procedure, from the catalogue.</summary>
internal static class RoutineParameters
{
    // to_regproc returns NULL unless exactly one routine in the search path has the name.
    private const string Find =
        """
        select coalesce(p.proargnames[u.ordinality], ''), u.mode, u.type
        from pg_proc p, unnest(
            coalesce(p.proallargtypes, p.proargtypes::oid[]),
            coalesce(p.proargmodes::text[], array_fill('i'::text, array[cardinality(p.proargtypes::oid[])]))) with ordinality u(type, mode, ordinality)
        where p.oid = to_regproc(@name) and u.mode <> 't'
        order by u.ordinality
        """;

    internal static void Fill(PgDbCommand command, PgDbConnection connection)
    {
        using var check = new PgDbCommand("select to_regproc(@name) is null", connection);
        check.Parameters.AddWithValue("name", command.CommandText);
        if ((bool)check.ExecuteScalar()!) // One row.
        {
            throw new InvalidOperationException(
                $"There is no routine '{command.CommandText}', or more than one. Name one with its schema; give the parameters of overloads by hand.");
        }

        using var find = new PgDbCommand(Find, connection);
        find.Parameters.AddWithValue("name", command.CommandText);
        using DbDataReader reader = find.ExecuteReader();
        command.Parameters.Clear();
        while (reader.Read())
        {
            command.Parameters.Add(new PgDbParameter
            {
                ParameterName = reader.GetString(0),
                PgTypeId = reader.GetFieldValue<uint>(2),
                Direction = reader.GetString(1) switch
                {
                    "o" => ParameterDirection.Output,
                    "b" => ParameterDirection.InputOutput,
                    _ => ParameterDirection.Input,
                },
            });
        }
    }
}

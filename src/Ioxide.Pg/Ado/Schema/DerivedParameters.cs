using System.Data;
using System.Data.Common;
using System.Globalization;

namespace Ioxide.Pg.Data;

/// <summary>The parameters of a text or of a function or procedure, as the server knows them.</summary>
internal static class DerivedParameters
{
    private const string OfOneRoutine =
        """
        select coalesce(p.proargnames[u.ordinality], ''), u.mode, u.type
        from (select @name::regproc::oid as oid) named join pg_proc p using (oid), unnest(
            coalesce(p.proallargtypes, p.proargtypes::oid[]),
            coalesce(p.proargmodes::text[], array_fill('i'::text, array[cardinality(p.proargtypes::oid[])])))
                with ordinality u(type, mode, ordinality)
        where u.mode <> 't'
        order by u.ordinality
        """;

    // Only such statements have parameters, and PREPARE takes them. The text may end in a comment. The name is another one each time, because a
    // rollback does not take back PREPARE: where the script was cut short, the last one is still there.
    private static string ScriptOf(BoundStatement statement)
    {
        string name = $"ioxide derives {Guid.NewGuid():N}";
        return $"""
            prepare "{name}" as {statement.Statement}
            ;
            select unnest(parameter_types)::oid from pg_catalog.pg_prepared_statements where name = '{name}';
            deallocate "{name}";
            """;
    }

    internal static void OfRoutine(PgDbCommand command, PgDbConnection connection)
    {
        using var find = new PgDbCommand(OfOneRoutine, connection);
        find.Parameters.AddWithValue("name", command.CommandText);
        using DbDataReader reader = find.ExecuteReader();
        var found = new List<PgDbParameter>();
        while (reader.Read())
        {
            found.Add(new PgDbParameter
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

        command.Parameters.Clear();
        command.Parameters.AddRange(found.ToArray());
    }

    /// <exception cref="PgException">The server refuses the text, or infers no type.</exception>
    internal static void OfText(PgDbCommand command, PgDbConnection connection)
    {
        ParsedSql text = connection.Source.Texts.Get(command.CommandText, connection.OpenSession.Connection.Session.HasEscapes);
        uint[] types = new uint[text.Names.Length];
        foreach (BoundStatement statement in text.StatementsFor(missing: 0, connection.Source.Source))
        {
            uint[] inferred = statement.Parameters.Length > 0 ? Infer(statement, connection) : [];
            for (int index = 0; index < inferred.Length; index++)
            {
                ref uint type = ref types[statement.Parameters[index]];
                if (type != 0 && type != inferred[index])
                {
                    throw new InvalidOperationException(
                        $"Parameter '{text.Names[statement.Parameters[index]]}' has several types: {PgTypeTable.NameOf(type)} and "
                            + $"{PgTypeTable.NameOf(inferred[index])}. Cast it in the text, or use two parameters.");
                }

                type = inferred[index];
            }
        }

        command.Parameters.Clear();
        foreach (int index in Enumerable.Range(0, types.Length).OrderBy(index => NumberOf(text.Names[index])))
        {
            string name = text.Names[index];
            while (command.Parameters.Count < NumberOf(name) - 1)
            {
                // The text leaves out a number.
                command.Parameters.Add(new PgDbParameter());
            }

            command.Parameters.Add(new PgDbParameter { ParameterName = NumberOf(name) > 0 ? "" : name, PgTypeId = types[index] });
        }
    }

    /// <summary>The place of a positional parameter, from 1; 0 for one with a name.</summary>
    private static int NumberOf(string name) => name[0] == '$' ? int.Parse(name.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture) : 0;

    /// <summary>In one round trip, so that a pooler cannot part it.</summary>
    private static uint[] Infer(BoundStatement statement, PgDbConnection connection)
    {
        PgSession session = connection.Session;
        PgScriptResult result = BlockingWait.For(session, (session, ScriptOf(statement)), static state => state.session.RunScriptAsync(state.Item2));
        uint[] types = [.. result.Rows.Select(TypeOf)];
        return types.Length == statement.Parameters.Length ? types : throw Malformed();
    }

    private static uint TypeOf(string?[] row)
        => row is [{ } text] && uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out uint type)
            ? type
            : throw Malformed();

    private static PgProtocolException Malformed() => CatalogQuery.Malformed("types of a statement's parameters");
}

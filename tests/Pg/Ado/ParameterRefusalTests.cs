using System.Collections;
using System.Data.Common;
using System.Net;

namespace Ioxide.Pg.Tests;

/// <summary>A value that does not become of the declared type is refused by an exception that a program which catches Npgsql's catches.</summary>
public class ParameterRefusalTests() : PairTests("create extension if not exists hstore")
{
    private static readonly object[] s_values =
    [
        true, (byte)200, (sbyte)-1, (short)-1, 1, 70000, 1L, long.MaxValue, 1.5f, double.NaN, 1e300, 1.5m, decimal.MaxValue, "1", "x", "", 'c', '\0', Guid.Empty, new byte[] { 1 },
        new BitArray(3), IPAddress.Loopback, new[] { 1 }, new[] { "x" }, new[] { 1.5m }, new[] { true }, new object[] { 1, "a" }, new List<long> { long.MaxValue }, new[] { 1, 70000 },
        new[,] { { 1, 2 } }, new object(), new Uri("http://a/"), (1, 2), new Dictionary<string, string?> { ["a"] = null },
    ];

    private static readonly string?[] s_types =
    [
        null, "boolean", "smallint", "integer", "bigint", "real", "double precision", "numeric", "money", "text", "character varying", "name", "char", "bytea", "uuid", "date",
        "time", "timestamp", "timestamptz", "interval", "json", "jsonb", "xml", "inet", "macaddr", "oid", "xid", "bit", "bit varying", "point", "int4range", "int4multirange",
        "smallint[]", "integer[]", "text[]", "numeric[]", "uuid[]", "boolean[]", "int4range[]", "hstore",
    ];

    [Fact]
    public async Task WhatCatchesNpgsqlsExceptionCatchesTheFacades()
    {
        PostgresServer server = await PostgresServer.SharedAsync();
        Assert.SkipUnless(server.HasHstore, "The server has no hstore.");
        var differences = new List<string>();
        int both = 0;
        foreach (object value in s_values)
        {
            foreach (string? type in s_types)
            {
                (_, Exception? theirs) = await DataPair.TryTypeAndTextAsync(Pair.Theirs, value, type);
                (_, Exception? ours) = await DataPair.TryTypeAndTextAsync(Pair.Ours, value, type);
                if (theirs is not null && ours is not null)
                {
                    both++;
                    if (!DataPair.IsCaught(theirs, ours) && !IsMeant(value, type, theirs, ours))
                    {
                        differences.Add($"{value.GetType().Name} {value} as {type}: Npgsql {theirs.GetType().Name} {theirs.Message}, facade {ours.GetType().Name} {ours.Message}");
                    }
                }
            }
        }

        Assert.True(differences.Count == 0, string.Join('\n', differences));
        Assert.InRange(both, 300, s_values.Length * s_types.Length);
    }

    [Theory, Each("p1", "P1", "@p1", "p2")]
    public async Task OnlyAParameterOfItsNameTakesAPlaceByName(string name)
    {
        await using DataPair pair = await DataPair.OpenAsync<ParameterRefusalTests>(Fixture, "select 1");
        var answers = new List<string?>();
        foreach (DbConnection connection in pair.Both)
        {
            await using DbCommand command = connection.CreateCommand();
            DbParameter first = command.CreateParameter();
            first.ParameterName = "p1";
            command.Parameters.Add(first);
            DbParameter second = command.CreateParameter();
            second.ParameterName = name;
            answers.Add(Record.Exception(() => command.Parameters["p1"] = second)?.GetType().Name ?? $"{command.Parameters.IndexOf(second)}");
        }

        Assert.Equal(answers[0], answers[1]);
    }

    private static bool IsMeant(object value, string? type, Exception theirs, Exception ours) => (theirs, ours) switch
    {
        // A text is sent as a literal of any type, and any value as the text of a type of the database: the server says what is wrong with it.
        (InvalidCastException, DbException) => value is string or char or string[] || type == "hstore",

        // Every number becomes one of these types, if it fits.
        (InvalidCastException, OverflowException) => type is "oid" or "xid" or "money",

        // Of elements of several types the one that does not fit is named, as a value alone is.
        (NotSupportedException, InvalidCastException or DbException) => value is object[],

        // A number is no time, and no text holds the character zero: both are refused before they are sent.
        (DbException { SqlState: "22008" or "22021" }, InvalidCastException) => value is long or '\0',
        _ => false,
    };
}

using System.Collections;
using System.Collections.Immutable;
using System.Collections.Specialized;
using System.Data;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;
using Ioxide.Pg.Data;
using Npgsql;
using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

/// <summary>A parameter's <c>DbType</c>, <c>PgDbType</c>, <c>DataTypeName</c> and value follow from each other as on Npgsql, in whichever order they are set.</summary>
public class ParameterInferenceTests
{
    private static readonly object?[] s_values =
    [
        null, DBNull.Value, true, (byte)1, (sbyte)1, (short)1, 1, 1L, 1f, 1d, 1m, BigInteger.One, "text", 'c', new char[1], "text".AsMemory(),
        new byte[1], new ReadOnlyMemory<byte>(new byte[1]), new Memory<byte>(new byte[1]), new ArraySegment<byte>(new byte[1]), new MemoryStream(),
        Guid.Empty, DateOnly.MinValue, TimeOnly.MinValue, new DateTime(2020, 1, 1), new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc),
        new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Local), DateTimeOffset.UnixEpoch, TimeSpan.Zero, new BitArray(3), new BitVector32(1),
        IPAddress.Loopback, new IPNetwork(IPAddress.Loopback, 32), PhysicalAddress.Parse("00-11-22-33-44-55"), new int[1], new List<int> { 1 },
        new int[1, 1], ImmutableArray.Create(1), (string[])["a"], (byte[][])[new byte[1]], new DateTime[1], new DateTimeOffset[1], new decimal[1],
        new bool?[1], new TimeSpan[1], new BitArray[] { new(1) }, JsonDocument.Parse("{}"), new Version(1, 1), new Uri("http://a/"),
    ];

    private static readonly string[] s_names =
    [
        "int4", "integer", "integer[]", "_int4", "pg_catalog.int4", "character varying", "varchar(10)", "numeric(3,2)", "timestamp with time zone",
        "double precision", "int4range", "int4multirange", "date[]", "json", "bytea", "shop.color", "shop.color[]", "nothing", "bit varying", "xml",
    ];

    // What Npgsql calls a type, beside this driver's name.
    private static readonly (NpgsqlDbType Theirs, PgDbType Ours)[] s_types =
    [
        (NpgsqlDbType.Bigint, PgDbType.Int8), (NpgsqlDbType.Integer, PgDbType.Int4), (NpgsqlDbType.Text, PgDbType.Text),
        (NpgsqlDbType.Char, PgDbType.BpChar), (NpgsqlDbType.Name, PgDbType.Name), (NpgsqlDbType.Money, PgDbType.Money),
        (NpgsqlDbType.Date, PgDbType.Date), (NpgsqlDbType.TimeTz, PgDbType.TimeTz), (NpgsqlDbType.TimestampTz, PgDbType.TimestampTz),
        (NpgsqlDbType.Xml, PgDbType.Xml), (NpgsqlDbType.Jsonb, PgDbType.Jsonb), (NpgsqlDbType.Uuid, PgDbType.Uuid), (NpgsqlDbType.Oid, PgDbType.Oid),
        (NpgsqlDbType.Array | NpgsqlDbType.Integer, PgDbType.Int4Array), (NpgsqlDbType.IntegerRange, PgDbType.Int4Range),
        (NpgsqlDbType.Unknown, PgDbType.Unknown), (NpgsqlDbType.Varbit, PgDbType.VarBit), (NpgsqlDbType.Boolean, PgDbType.Bool),
    ];

    // Types that no server has; this driver sends them in the next larger one, Npgsql not at all.
    private static readonly DbType[] s_dbTypes = [.. Enum.GetValues<DbType>().Except([DbType.SByte, DbType.UInt16, DbType.UInt32, DbType.UInt64])];

    [Fact]
    public void TypesFollowFromEachOtherAsOnNpgsql()
    {
        // Npgsql knows no type of a value before the first data source.
        using NpgsqlDataSource source = NpgsqlDataSource.Create("Host=127.0.0.1");
        List<string> differences = [];
        for (int seed = 0; seed < 5000; seed++)
        {
            var random = new Random(seed);
            var theirs = new NpgsqlParameter();
            var ours = new PgDbParameter();
            string program = "";
            for (int step = random.Next(1, 5); step > 0; step--)
            {
                program += $"{SetOne(random, theirs, ours)}; ";
                if (Seen(theirs) is var expected && Seen(ours) is var actual && expected != actual)
                {
                    differences.Add($"{program}Npgsql {expected}, ours {actual}");
                    break;
                }
            }
        }

        Assert.True(differences.Count == 0, $"{differences.Count} differ:\n{string.Join('\n', differences.Take(40))}");
    }

    private static string SetOne(Random random, NpgsqlParameter theirs, PgDbParameter ours)
    {
        switch (random.Next(5))
        {
            case 0:
                object? value = s_values[random.Next(s_values.Length)];
                theirs.Value = value;
                ours.Value = value;
                return $"{value?.GetType().Name ?? "null"} {value}";
            case 1:
                DbType type = s_dbTypes[random.Next(s_dbTypes.Length)];
                theirs.DbType = type;
                ours.DbType = type;
                return $"DbType.{type}";
            case 2:
                (NpgsqlDbType their, PgDbType our) = s_types[random.Next(s_types.Length)];
                theirs.NpgsqlDbType = their;
                ours.PgDbType = our;
                return $"PgDbType.{our}";
            case 3:
                string? name = random.Next(5) == 0 ? null : s_names[random.Next(s_names.Length)];
                theirs.DataTypeName = name;
                ours.DataTypeName = name;
                return name ?? "no name";
            default:
                theirs.ResetDbType();
                ours.ResetDbType();
                return "reset";
        }
    }

    private static string Seen(NpgsqlParameter parameter)
    {
        // Unknown also stands for nothing that was set.
        string? type = parameter.NpgsqlDbType is NpgsqlDbType.Unknown ? null : new NpgsqlParameter { NpgsqlDbType = parameter.NpgsqlDbType }.DataTypeName;
        return $"{parameter.DbType} {type} {parameter.DataTypeName}";
    }

    private static string Seen(PgDbParameter parameter)
    {
        string? type = parameter.PgDbType is PgDbType.Unknown ? null : new PgDbParameter { PgDbType = parameter.PgDbType }.DataTypeName;
        return $"{parameter.DbType} {type} {parameter.DataTypeName}";
    }
}

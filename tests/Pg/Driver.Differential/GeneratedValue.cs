using System.Collections;
using System.Net;

namespace Ioxide.Pg.Tests;

/// <summary>Types with their values: those that occur, those at the ends, and some that are none.</summary>
internal static class GeneratedValue
{
    /// <summary>Types with literals as the server reads them.</summary>
    internal static readonly (string Type, string[] Literals)[] Types =
    [
        ("bool", ["t", "f", "no", "maybe"]),
        ("int2", ["0", "1", "-32768", "32767", "32768"]),
        ("int4", ["0", "7", "-2147483648", "2147483647", "2147483648", "1.5"]),
        ("int8", ["0", "42", "-9223372036854775808", "9223372036854775807", "x"]),
        ("float4", ["0", "-0", "1.5", "3.4028235e38", "1e-45", "NaN", "-Infinity", "1e39"]),
        ("float8", ["0", "-0", "0.1", "1.7976931348623157e308", "5e-324", "NaN", "Infinity", "1e15", "123456789012345680"]),
        ("numeric", ["0", "0.00", "1.10", "-79228162514264337593543950335", "79228162514264337593543950336", "1e-28", "NaN", "Infinity",
            "123456789012345678901234567890.123456789", "1e40", "1.23456789012345678901234567890123456789"]),
        ("numeric(10,2)", ["0", "1.005", "99999999.99", "999999999"]),
        ("money", ["0", "12.34", "-92233720368547758.08", "92233720368547758.07"]),
        ("text", ["", "x", "a 'quoted' \"text\"\\", "\u00e4\u20ac\ud83d\ude00", "line\nline\ttab", "NULL", "{}", ",;"]),
        ("varchar(5)", ["", "abc", "toolong"]),
        ("bpchar", ["", "a ", "abc"]),
        ("char(4)", ["", "ab", "abcd"]),
        ("name", ["", "x", "pg_catalog"]),
        ("\"char\"", ["a", "\\001", "Z"]),
        ("bytea", ["", "\\x00ff10", "\\000\\377", "\\xzz"]),
        ("uuid", ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "00112233445566778899aabbccddeeff", "none"]),
        ("date", ["2000-01-01", "0001-01-01", "9999-12-31", "infinity", "-infinity", "4713-01-01 BC", "5874897-12-31", "2024-02-30"]),
        ("time", ["00:00", "23:59:59.999999", "24:00", "12:34:56.789"]),
        ("timetz", ["00:00+00", "12:34:56.789+02", "23:59:59.999999-15:59", "01:02:03+01:02:03"]),
        ("timestamp", ["2000-01-01", "0001-01-01", "9999-12-31 23:59:59.999999", "infinity", "-infinity", "4713-01-01 BC", "294276-12-31", "2024-02-29 12:34:56.789"]),
        ("timestamptz", ["2000-01-01+00", "0001-01-01+00", "9999-12-31 23:59:59.999999+00", "infinity", "-infinity", "4714-11-24 BC", "294276-12-31+00", "2024-02-29 12:34:56.789+02"]),
        ("timestamptz(3)", ["2024-02-29 12:34:56.789654+02", "infinity"]),
        ("interval", ["0", "1 day 02:03:04.5", "-3 days", "1 year 2 mons 3 days", "00:00:00.000001", "-178000000 years", "1 day -02:00:00"]),
        ("json", ["{\"a\": [1, null, \"\u00e4\"]}", "null", "\"x\"", "[]", "{"]),
        ("jsonb", ["{\"b\": 1, \"a\": 2.50}", "null", "[1, [2]]", "\"\"", "{"]),
        ("xml", ["<a/>", "text", "<a>"]),
        ("inet", ["10.0.0.1", "192.168.0.0/16", "::1", "fe80::1/64", "300.0.0.1"]),
        ("cidr", ["10.0.0.0/8", "0.0.0.0/0", "2001:db8::/32", "10.0.0.1/8"]),
        ("macaddr", ["08:00:2b:01:02:03", "ff-ff-ff-ff-ff-ff", "x"]),
        ("macaddr8", ["08:00:2b:01:02:03:04:05", "08002b010203"]),
        ("bit", ["0", "1", "101"]),
        ("bit(3)", ["101", "000", "1"]),
        ("varbit", ["", "1", "110010101011", "2"]),
        ("point", ["(0,0)", "(1.5,-2)", "(1e300,NaN)", "x"]),
        ("line", ["{1,2,3}", "{0,-1,0.5}"]),
        ("lseg", ["[(0,0),(1,1)]", "[(1.25,2),(3,4)]"]),
        ("box", ["(1,1),(0,0)", "(0,0),(2,3)"]),
        ("path", ["((0,0),(1,1),(2,0))", "[(0,0),(1,1)]"]),
        ("polygon", ["((0,0),(1,1),(2,0))", "((0,0))"]),
        ("circle", ["<(0,0),1>", "<(1.5,2),0>", "<(0,0),-1>"]),
        ("oid", ["0", "1", "4294967295", "-1"]),
        ("xid", ["0", "4294967295"]),
        ("xid8", ["0", "18446744073709551615"]),
        ("regtype", ["int4", "text", "nothing_like_it"]),
        ("regclass", ["pg_class", "t0"]),
        ("pg_lsn", ["0/0", "16/B374D848"]),
        ("tid", ["(0,1)", "(4294967295,65535)"]),
        ("tsvector", ["a fat cat", "''", "'x':1A,2"]),
        ("tsquery", ["a & b", "!x", ""]),
        ("jsonpath", ["$.a[*]", "strict $"]),
        ("int4range", ["[1,5)", "(,3]", "empty", "(,)", "[5,1]"]),
        ("int8range", ["[1,5)", "[9223372036854775807,)"]),
        ("numrange", ["[1.10,2.5]", "(,)", "(1,1)"]),
        ("tsrange", ["[2000-01-01,2001-01-01)", "(,2000-01-01 12:00]", "empty", "(infinity,)"]),
        ("tstzrange", ["[2000-01-01+00,2001-01-01+00)", "(,infinity]"]),
        ("daterange", ["[2000-01-01,2000-02-01)", "(,)", "[-infinity,2000-01-01)"]),
        ("int4multirange", ["{}", "{[1,3),[5,7)}", "{(,)}"]),
        ("nummultirange", ["{}", "{[1.5,2.5]}"]),
        ("datemultirange", ["{[2000-01-01,2000-02-01)}", "{}"]),
        ("mood", ["sad", "happy", "angry"]),
        ("pair", ["(1,x)", "(,)", "(2147483648,)", "(7,\"a \"\"b\"\", c\")"]),
        ("positive", ["1", "2147483647", "0"]),
        ("int2vector", ["1 2 3", ""]),
        ("oidvector", ["1 2", ""]),
    ];

    /// <summary>Types that arrays are made of: those whose elements need no quotes are in the same list.</summary>
    internal static string ArrayOf(FaultDice dice, string type, IReadOnlyList<string> literals)
    {
        string[] items = [.. Enumerable.Range(0, dice.Below(4)).Select(_ => dice.Below(4) == 0 ? "NULL" : $"'{Quote(Pick(dice, literals))}'::{type}")];
        string array = $"array[{string.Join(", ", items)}]::{type}[]";
        return dice.Below(8) == 0 ? $"array[{array}, {array}]" : array;
    }

    /// <summary>An expression of any type.</summary>
    internal static string Literal(FaultDice dice)
    {
        (string type, string[] literals) = Pick(dice, Types);
        return Literal(dice, type, literals);
    }

    internal static string Literal(FaultDice dice, string type, string[] literals) => dice.Below(12) switch
    {
        0 => $"null::{type}",
        1 => $"null::{type}[]",
        2 or 3 => ArrayOf(dice, type, literals),
        4 => $"'{Quote(Pick(dice, literals))}'::{type}::text",
        _ => $"'{Quote(Pick(dice, literals))}'::{type}",
    };

    /// <summary>A literal that the server takes: most first ones are.</summary>
    internal static string Plain(FaultDice dice, string type)
    {
        string[] literals = Types.First(known => known.Type == type).Literals;
        return dice.Below(6) == 0 ? "null" : $"'{Quote(dice.Below(12) == 0 ? Pick(dice, literals) : literals[dice.Below(Math.Min(2, literals.Length))])}'::{type}";
    }

    /// <summary>A parameter of any type that both drivers send alike.</summary>
    internal static ScriptValue Parameter(FaultDice dice) => dice.Below(30) switch
    {
        0 => ScriptValue.Null(Pick(dice, ["int4", "text", "timestamptz", "numeric", "uuid", "int4[]", "jsonb"])),
        1 => ScriptValue.Of("bool", dice.Below(2) == 0),
        2 => ScriptValue.Of("int2", Pick<short>(dice, [0, short.MinValue, short.MaxValue])),
        3 or 4 or 5 or 6 => ScriptValue.Of("int4", Pick(dice, [0, 1, 2, 3, 5, -1, int.MinValue, int.MaxValue])),
        7 or 8 => ScriptValue.Of("int8", Pick(dice, [0L, 1L, long.MinValue, long.MaxValue])),
        9 => ScriptValue.Of("float4", Pick(dice, [0f, -0f, float.MaxValue, float.Epsilon, float.NaN, float.NegativeInfinity, 1.1f])),
        10 => ScriptValue.Of("float8", Pick(dice, [0d, double.MinValue, double.Epsilon, double.NaN, double.PositiveInfinity, 0.1])),
        11 or 12 => ScriptValue.Of("numeric", Pick(dice, [0m, 1.10m, 100m, decimal.MaxValue, decimal.MinValue, 0.0000000000000000000000000001m, 10000.0001m])),
        13 or 14 or 15 or 16 => ScriptValue.Of("text", Pick(dice, ["", "x", "it's", "\u00e4\u20ac\ud83d\ude00", "7", "NULL", "line\nline", new string('y', 3000)])),
        17 => ScriptValue.Of("bytea", Pick<byte[]>(dice, [[], [0, 255, 1], new byte[2000]])),
        18 => ScriptValue.Of("uuid", Pick(dice, [Guid.Empty, new Guid("00112233-4455-6677-8899-aabbccddeeff")])),
        19 => ScriptValue.Of("date", Pick(dice, [new DateOnly(2024, 2, 29), new DateOnly(1, 1, 2), new DateOnly(9999, 12, 30)])),
        20 => ScriptValue.Of("time", Pick(dice, [default, new TimeOnly(23, 59, 59, 999), new TimeOnly(863_999_999_990)])),
        21 => ScriptValue.Of("timestamp", Pick(dice, [new DateTime(2024, 2, 29, 1, 2, 3), new DateTime(1, 1, 2), new DateTime(9999, 12, 30)])),
        22 => ScriptValue.Of("timestamptz", new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc)),
        23 => ScriptValue.Of("timestamptz", new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.Zero)),
        24 => ScriptValue.Of("interval", Pick(dice, [TimeSpan.Zero, TimeSpan.FromHours(30.5), -TimeSpan.FromMilliseconds(1)])),
        25 => ScriptValue.Of("int4[]", Pick<int[]>(dice, [[], [1, 2], [int.MinValue]])),
        26 => ScriptValue.Of("text[]", Pick<string[]>(dice, [[], ["a", "b c", "{,}", "NULL"]])),
        27 => ScriptValue.Of("inet", IPAddress.Parse(Pick(dice, ["10.0.0.1", "::1"]))),
        28 => ScriptValue.Of("int4[]", Pick<int?[]>(dice, [[1, null, 3], []])),
        _ => ScriptValue.Of("varbit", new BitArray(Pick<bool[]>(dice, [[], [true, false, true]]))),
    };

    internal static string Quote(string literal) => literal.Replace("'", "''", StringComparison.Ordinal);

    internal static T Pick<T>(FaultDice dice, IReadOnlyList<T> values) => values[dice.Below(values.Count)];
}

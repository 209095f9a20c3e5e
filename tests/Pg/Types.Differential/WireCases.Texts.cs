using System.Collections;
using System.Text.Json;

namespace Ioxide.Pg.Tests;

internal static partial class WireCases
{
    private const int BitCount = 11;
    private const int PaddedLength = 8;
    private const int MaxNameBytes = 63;

    private static IEnumerable<KeyValuePair<string, WireCase>> Texts() =>
    [
        References("text", static random => AnyText(random, 40), "", " ", "NULL", "null", "\\", "\"", "{}", ",", "a'b\"\u00e4\u20ac\U0001f600\n\r\t", new string('x', 70_000)),
        References("character varying(80)", static random => AnyText(random, 20), "", "NULL"),
        References($"character({PaddedLength})", static random => Padded(AnyText(random, 4)), Padded(""), Padded("ab"), "12345678"),
        References("name", static random => new string((char)random.Next('a', 'z' + 1), random.Next(MaxNameBytes)), "", "pg_class"),
        Named(new WireCase<char, char?[], char, char?[]>(
            "\"char\"", static value => value, Nullables, Nullables, static random => (char)random.Next(1, 128), ['a', ' ', '\\']) { NpgsqlType = "char", ArrayExpression = "$2::\"char\"[]" }),
        References("bytea", AnyBytes, [], [0], [0xff, 0x5c, 0x22], new byte[70_000]),
        Values("uuid", AnyUuid, Guid.Empty, Guid.AllBitsSet, new Guid("00112233-4455-6677-8899-aabbccddeeff")),
        Strings("json", AnyJson, "null", "{}", " [ 1 , \"a\\u00e4\" ] ", "1e400"),
        Strings("jsonb", AnyJson, "null", "{}", "[]", "\"\""),
        Named(new WireCase<JsonDocument, JsonDocument?[], JsonDocument, JsonDocument?[]>(
            "jsonb", static value => value, Objects, Objects, static random => JsonDocument.Parse(AnyJson(random)), [JsonDocument.Parse("null"), JsonDocument.Parse("[]")])),
        Strings("xml", static random => $"<a b=\"{random.Next()}\">{random.Next()}</a>", "", "text", "<\u00e4/>"),
        Mixed($"bit({BitCount})", static value => value.ToBitArray(), isText: false, static random => PgBits.From(AnyBits(random, BitCount)), new PgBits([0, 0], BitCount)),
        Mixed("bit varying", static value => value.ToBitArray(), isText: false, static random => PgBits.From(AnyBits(random, random.Next(40))), new PgBits([], 0), new PgBits([0xff], 8)),
        References("bit varying", static random => AnyBits(random, random.Next(40)), new BitArray(0), new BitArray(9, true)),
    ];

    private static KeyValuePair<string, WireCase> Strings(string sqlType, Func<Random, string> next, params string[] extremes)
        => Named(new WireCase<string, string?[], string, string?[]>(sqlType, static value => value, Objects, Objects, next, extremes)
        {
            ArrayExpression = $"$2::{sqlType}[]",
        });

    /// <summary>Characters of all planes, and those that quoting has to take care of.</summary>
    private static string AnyText(Random random, int maxLength)
        => string.Concat(Enumerable.Range(0, random.Next(maxLength)).Select(_ => random.Next(3) switch
        {
            0 => Pick(random, "\"", "\\", ",", "{", "}", "'", " ", "\t", "\n", "(", ")", "NULL"),
            1 => ((char)random.Next(' ', 0xD800)).ToString(),
            _ => char.ConvertFromUtf32(random.Next(0x10000, 0x110000)),
        }));

    /// <summary>As the server gives a <c>character</c> of fixed length; it counts code points.</summary>
    private static string Padded(string text)
    {
        string cut = string.Concat(text.EnumerateRunes().Take(PaddedLength).Select(static rune => rune.ToString()));
        return cut + new string(' ', PaddedLength - cut.EnumerateRunes().Count());
    }

    private static byte[] AnyBytes(Random random)
    {
        byte[] bytes = new byte[random.Next(40)];
        random.NextBytes(bytes);
        return bytes;
    }

    private static Guid AnyUuid(Random random)
    {
        byte[] bytes = new byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private static BitArray AnyBits(Random random, int count) => new([.. Enumerable.Range(0, count).Select(_ => random.Next(2) == 0)]);

    /// <summary>As the server prints a jsonb.</summary>
    private static string AnyJson(Random random) => random.Next(4) switch
    {
        0 => $"[{random.Next()}, -{random.Next()}.{random.Next(1, 99)}, null, true]",
        1 => $"{{\"a\": {random.Next()}, \"bb\": \"\\\"x\\\\{(char)random.Next(0x100, 0xD800)}\"}}",
        2 => $"{{\"a\": [{{\"b\": [{random.Next()}]}}, \"{new string('y', random.Next(30))}\"]}}",
        _ => $"\"{random.Next()}\"",
    };
}

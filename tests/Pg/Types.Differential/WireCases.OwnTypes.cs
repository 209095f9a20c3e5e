using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

internal static partial class WireCases
{
    /// <summary>Makes the types of the cases in a database; once.</summary>
    internal const string Script = """
        create type mood as enum ('sad', 'ok', 'very_happy');
        create type pair as (number int, text text);
        create domain code as text check (length(value) < 100);
        create domain amount as numeric(12,2);
        """;

    private static IEnumerable<KeyValuePair<string, WireCase>> OwnTypes() =>
    [
        Values("mood", static random => Pick(random, Mood.Sad, Mood.Ok, Mood.VeryHappy), Mood.Sad, Mood.Ok, Mood.VeryHappy),
        References("pair", static random => new Pair { Number = Any32(random), Text = random.Next(9) == 0 ? null : AnyText(random, 20) },
            new Pair { Number = null, Text = null }, new Pair { Number = 0, Text = "" }, new Pair { Number = 7, Text = "a \"b\" \\ (,)" }),
        References("code", static random => AnyText(random, 20), "", "NULL"),
        Values("amount", static random => random.Next(-1_000_000, 1_000_000) / 100m + 0.00m, 0.00m, 9_999_999_999.99m),
        References("hstore", AnyPairs, [], new Dictionary<string, string?> { [""] = "", ["a\"\\"] = null, ["=>"] = "NULL" }),
        Named(new WireCase<string, string?[], string, string?[]>(
            "pg_lsn", static text => text, Objects, Objects, static random => $"{random.Next():X}/{random.Next():X}", ["0/0", "FFFFFFFF/FFFFFFFF"]) { TheirsIsText = true, ArrayExpression = "$2::pg_lsn[]" }),
    ];

    internal static void Register()
    {
        PgCodec.RegisterEnum<Mood>();
        PgCodec.Register(new PairCodec());
    }

    private static Dictionary<string, string?> AnyPairs(Random random)
    {
        var pairs = new Dictionary<string, string?>();
        for (int count = random.Next(6); count > 0; count--)
        {
            pairs[AnyText(random, 10)] = random.Next(5) == 0 ? null : AnyText(random, 10);
        }

        return pairs;
    }

    internal enum Mood
    {
        Sad,
        Ok,
        VeryHappy,
    }

    internal sealed record Pair
    {
        public int? Number { get; init; }

        public string? Text { get; init; }
    }

    private sealed class PairCodec : PgCompositeCodec<Pair>
    {
        protected override void Write(Pair value, ref PgCompositeWriter writer)
        {
            writer.Write(value.Number);
            writer.Write(value.Text);
        }

        protected override Pair Read(ref PgCompositeReader reader) => new() { Number = reader.Read<int?>(), Text = reader.Read<string?>() };
    }
}

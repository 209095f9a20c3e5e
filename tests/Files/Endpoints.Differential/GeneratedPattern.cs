namespace Ioxide.Files.Tests;

/// <summary>A route pattern, made near the path of a file so that both often match the same request.</summary>
/// <param name="Text">For example <c>/docs/{p1:int}</c>.</param>
/// <param name="Sample">Makes a decoded path that the pattern mostly matches.</param>
/// <param name="Features">What it is made of.</param>
internal sealed record GeneratedPattern(string Text, Func<FaultDice, string> Sample, IReadOnlyList<string> Features)
{
    private const string Identifier = "0f8fad5b-d9cb-469f-a165-70867728950e";

    /// <summary>Every built-in constraint and two of the application's own, with values that hold and values that do not.</summary>
    private static readonly (string Text, string[] Values)[] s_constraints =
    [
        ("int", ["42", "7", "abc"]), ("bool", ["true", "False", "42"]), ("datetime", ["2024-01-02", "2024"]), ("decimal", ["1.5", "x"]),
        ("double", ["1.5", "1e3"]), ("float", ["1.5", "-1"]), ("guid", [Identifier, "admin"]), ("long", ["9999999999", "7"]),
        ("minlength(3)", ["admin", "7"]), ("maxlength(4)", ["adm2", "secret.txt"]), ("length(5)", ["admin", "a.txt"]),
        ("length(1,3)", ["42", "adm2"]), ("min(7)", ["7", "5"]), ("max(42)", ["42", "43"]), ("range(1,42)", ["42", "99"]),
        ("alpha", ["admin", "adm2"]), ("regex(^a)", ["admin", "a.txt", "app.js"]), ("regex(txt$)", ["a.txt", "secret.txt", "ü.txt"]),
        ("required", ["admin", "a.txt"]), ("file", ["a.txt", "admin"]), ("nonfile", ["admin", "users", "a.txt"]), ("odd", ["a.txt", "admin", "42"]),
        ("asked", ["a.txt", "admin", "index.html"]),
    ];

    private static readonly (string Text, string[] Values)[] s_tailConstraints =
    [
        ("", ["", "a.txt", "private/secret.txt", "x/y/z"]), ("", ["index.html", "sub/deep/a.txt"]),
        (":regex(^private/)", ["private/secret.txt", "private/", "a.txt"]), (":nonfile", ["admin", "users/7", "a.txt", "private"]),
        (":file", ["a.txt", "docs/a.b.txt", "admin"]), (":minlength(6)", ["secret.txt", "index.html", "42"]), (":odd", ["a.txt", "admin"]),
        (":asked", ["a.txt", "private/secret.txt"]), (":int", ["42", "admin"]),
    ];

    /// <summary>Makes one near a path without a slash in front.</summary>
    internal static GeneratedPattern Near(FaultDice dice, string path)
    {
        List<Segment> segments = [];
        string[] words = path.Split('/');
        for (int index = 0; index < words.Length; index++)
        {
            bool isLast = index == words.Length - 1;
            if (dice.Hits(isLast ? 350 : 120))
            {
                segments.Add(Tail(dice, index, words[index]));
                break;
            }

            segments.Add(Inner(dice, index, words[index]));
            if (isLast && dice.Hits(150))
            {
                segments.Add(Tail(dice, index + 1, ""));
            }
        }

        return new GeneratedPattern(
            "/" + string.Join('/', segments.Select(static segment => segment.Text)),
            dice => "/" + string.Join('/', segments.Select(segment => dice.Pick(segment.Values))),
            [.. segments.SelectMany(static segment => segment.Features).Distinct()]);
    }

    private static Segment Inner(FaultDice dice, int index, string word)
    {
        int dot = word.LastIndexOf('.');
        switch (dice.Below(10))
        {
            case 0:
                return new Segment(dice.ChangeCase(word), [word], ["literal of another case"]);
            case 1:
                return new Segment($"{{p{index}}}", [word, "other"], ["parameter"]);
            case 2 or 3:
                (string text, string[] values) = dice.Pick(s_constraints);
                return new Segment($"{{p{index}:{text}}}", [.. values, .. values[..1], word], [$"constraint {text}"]);
            case 4:
                return new Segment($"{{p{index}:minlength(2):regex(^[^x])}}", [word, "other"], ["two constraints"]);
            case 5 when dot > 0:
                return new Segment($"{{a{index}}}.{{b{index}}}", [word, "x.y"], ["complex segment"]);
            case 6 when dot > 0:
                return new Segment($"{{a{index}}}{word[dot..]}", [word], ["complex segment with a literal end"]);
            case 7 when word.Length > 2:
                return new Segment($"{word[..2]}{{a{index}}}", [word], ["complex segment with a literal beginning"]);
            case 8 when dot > 0:
                return new Segment($"{{a{index}:alpha}}.{{b{index}:length(3)}}", [word], ["complex segment with constraints"]);
            default:
                bool isPlain = word.All(char.IsAscii) && !word.Contains(' ', StringComparison.Ordinal);
                return new Segment(word, [word], [isPlain ? "literal" : "literal to be encoded"]);
        }
    }

    private static Segment Tail(FaultDice dice, int index, string word)
    {
        switch (dice.Below(6))
        {
            case 0:
                return new Segment($"{{p{index}?}}", [word, "", "7"], ["optional"]);
            case 1:
                (string constraint, string[] some) = dice.Pick(s_constraints);
                return new Segment($"{{p{index}:{constraint}?}}", [.. some, "", word], ["optional with a constraint"]);
            case 2:
                return new Segment($"{{p{index}=5}}", [word, "", "x"], ["default"]);
            case 3 when word.Contains('.', StringComparison.Ordinal):
                return new Segment($"{{a{index}}}.{{b{index}?}}", [word, "admin", "x.y"], ["complex segment with an optional end"]);
            default:
                (string text, string[] values) = dice.Pick(s_tailConstraints);
                string stars = dice.Hits(500) ? "*" : "**";
                return new Segment($"{{{stars}p{index}{text}}}", [.. values, word], [$"catch-all{text}"]);
        }
    }

    private sealed record Segment(string Text, string[] Values, string[] Features);
}

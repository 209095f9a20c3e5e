namespace Ioxide.Files.Tests;

/// <summary>Choices that a seed repeats.</summary>
internal static class ApplicationDice
{
    internal static T Pick<T>(this FaultDice dice, IReadOnlyList<T> values) => values[dice.Below(values.Count)];

    /// <summary>From 0 to <paramref name="most"/> things, each made anew.</summary>
    internal static T[] Several<T>(this FaultDice dice, int most, Func<T> make) => [.. Enumerable.Range(0, dice.Below(most + 1)).Select(_ => make())];

    /// <summary>Changes the case of some ASCII letters.</summary>
    internal static string ChangeCase(this FaultDice dice, string text) => string.Concat(text.Select(letter
        => char.IsAsciiLetter(letter) && dice.Hits(400) ? (char)(letter ^ 0x20) : letter));
}

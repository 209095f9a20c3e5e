namespace Ioxide.Files.Tests;

/// <summary>A group of endpoints.</summary>
/// <param name="Prefix">With a slash in front; may have a parameter.</param>
/// <param name="Conventions">What is said of all in it.</param>
internal sealed record GeneratedGroup(string Prefix, GeneratedConvention[] Conventions)
{
    internal bool HasParameter => Prefix.Contains('{', StringComparison.Ordinal);

    internal static GeneratedGroup Of(FaultDice dice, ApplicationServices services) => new(
        dice.Pick(["/private", "/docs", "/sub", "/", "/{tenant}", "/users"]),
        dice.Several(1, () => GeneratedConvention.Of(dice, services)));

    internal string Sample(FaultDice dice) => Prefix == "/" ? "" : HasParameter ? "/" + dice.Pick(["private", "docs", "sub"]) : Prefix;

    public override string ToString() => $"MapGroup(\"{Prefix}\"){string.Concat(Conventions.AsEnumerable())}";
}

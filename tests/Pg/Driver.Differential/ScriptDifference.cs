namespace Ioxide.Pg.Tests;

/// <summary>Something in which two answers differ.</summary>
/// <param name="What">Error, results, columns, value, affected or tables.</param>
/// <param name="Type">The type of the column, where it is about one.</param>
/// <param name="Expected">What is right.</param>
/// <param name="Actual">What came.</param>
internal sealed record Mismatch(string What, string Type, string Expected, string Actual)
{
    public override string ToString() => $"{What}{(Type.Length > 0 ? $" of {Type}" : "")}: {Short(Expected)} became {Short(Actual)}";

    private static string Short(string text) => text.Length <= 400 ? text : $"{text[..400]}... ({text.Length} characters)";
}

/// <summary>A step to which a target answers otherwise than Npgsql.</summary>
/// <param name="Script">The script.</param>
/// <param name="StepNumber">The step, from 0; the number of steps for the tables that it left.</param>
/// <param name="Target">Which target.</param>
internal sealed record ScriptDifference(GeneratedScript Script, int StepNumber, string Target, Mismatch Mismatch, StepAnswer? Expected, StepAnswer? Actual)
{
    internal ScriptStep? Step => StepNumber < Script.Steps.Count ? Script.Steps[StepNumber] : null;

    internal bool IsNative => Target.StartsWith("native", StringComparison.Ordinal);

    internal bool IsFacade => !IsNative;

    /// <summary>In short, so that differences of one cause fall together.</summary>
    internal string Kind => $"{Face} {Mismatch.What} {Mismatch.Type}: {Head(Mismatch.Expected)} became {Head(Mismatch.Actual)}";

    public override string ToString()
        => $"script {Script.Seed}, step {StepNumber}, {Target}: {Mismatch}\n{Script}\n"
            + (Expected is null ? "" : $"  Npgsql: {Expected}\n  {Target}: {Actual}\n");

    private string Face => Target.Split('-')[0];

    private static string Head(string text) => text[..Math.Min(text.Length, 40)].ReplaceLineEndings(" ");
}

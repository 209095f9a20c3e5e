using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>A program with what stock and Ioxide saw of it, lines that are the same for both being made so.</summary>
internal sealed record ProgramCase(ProgramPlace Place, HandlerProgram Program, string Stock, string Ours, bool IsElsewhere)
{
    internal bool IsSame => Stock == Ours;

    /// <summary>Whether stock's answer breaks this rule. Ioxide's must break none.</summary>
    internal bool IsMalformed(string rule) => Stock.Contains($"{ProgramAnswer.Malformed}{rule}", StringComparison.Ordinal);

    internal bool Does(StepKind kind) => Program.Steps.Any(step => step.Kind == kind);

    internal bool Does(Func<Step, bool> which) => Program.Steps.Any(which);

    /// <summary>Whether a step of the first kind comes before one of the second.</summary>
    internal bool Does(Func<Step, bool> first, Func<Step, bool> then) => Program.Steps.SkipWhile(step => !first(step)).Skip(1).Any(then);

    /// <summary>The same with a part of both texts replaced.</summary>
    internal ProgramCase Replace(Regex part, string by) => this with { Stock = part.Replace(Stock, by), Ours = part.Replace(Ours, by) };

    internal ProgramCase ReplaceStock(Regex part, string by) => this with { Stock = part.Replace(Stock, by) };

    internal ProgramCase ReplaceOurs(Regex part, string by) => this with { Ours = part.Replace(Ours, by) };
}

namespace Ioxide.Pg.Tests;

/// <summary>A difference that is meant to be, with its reason.</summary>
/// <param name="Reason">Why.</param>
/// <param name="Holds">Whether a difference is of this kind.</param>
/// <param name="Ends">What comes after it in its script may differ too.</param>
/// <param name="MetWithin">So many scripts from the first meet it in Release; null: they meet it by chance, or behind a pooler.</param>
internal sealed record KnownDifference(string Reason, Func<ScriptDifference, bool> Holds, bool Ends = false, int? MetWithin = KnownDifference.EveryRun)
{
    /// <summary>Scripts of a run of the tests, and of <c>eng/differential.sh</c>.</summary>
    internal const int EveryRun = 100;
    private const int LongRun = 2_000;

    /// <summary>Types of PostgreSQL that Npgsql reads as a type of its own, and the facade as text.</summary>
    private static readonly string[] s_texts = ["pg_lsn", "tsvector", "tsquery", "tid", "jsonpath", "kinds.pair"];

    /// <summary>OIDs of objects' names, and of arrays of them.</summary>
    private static readonly string[] s_names = ["2205", "2206", "2210", "2211"];

    /// <summary>What stays.</summary>
    internal static readonly KnownDifference[] Lasting =
    [
        new("A commit that the server answers with a rollback is an exception here; Npgsql says nothing.",
            static difference => difference.Step?.Kind == StepKind.Commit && difference.Mismatch is { Expected: "none" } mismatch
                && mismatch.Actual.Contains("rolled everything back", StringComparison.Ordinal)),
        new("A type that the driver has no type of .NET for is read as its text.",
            static difference => difference.IsFacade && difference.Mismatch is { What: "value" or "column" } mismatch
                && s_texts.Contains(mismatch.Type.TrimEnd('[', ']')) && mismatch.Actual.Contains("String", StringComparison.Ordinal)),
        new("An infinite timestamptz is of kind UTC, as all others are; Npgsql's is of no kind.",
            static difference => difference.IsFacade && difference.Mismatch is { What: "value", Type: ['t', 'i', 'm', 'e', 's', 't', 'a', 'm', 'p', ..] or "?" } mismatch
                && mismatch.Expected.Replace("Z", "", StringComparison.Ordinal) == mismatch.Actual.Replace("Z", "", StringComparison.Ordinal)),
        new("The driver reads no catalog: it names a type that a database makes by its OID, and reads arrays of it as text.",
            static difference => difference.IsFacade && (difference.Mismatch is { What: "value", Type: ScriptComparison.OwnType }
                || (difference.Mismatch.What == "column" && difference.Mismatch.Actual.StartsWith(ScriptComparison.OwnType, StringComparison.Ordinal)))),
        new("A regclass or regtype is its OID in binary form, and printed as such: the name is the server's.",
            static difference => difference.IsNative && difference.Mismatch is { What: "value" } mismatch && s_names.Contains(mismatch.Type)),
        new("A moment or a time beyond those of .NET is refused; Npgsql wraps around.",
            static difference => difference.IsFacade && difference.Mismatch is { What: "value", Type: ['t', 'i', 'm', 'e', 's', 't', 'a', 'm', 'p', ..] or ['i', 'n', 't', 'e', 'r', 'v', ..] } mismatch
                && mismatch.Actual.StartsWith(CellText.Unreadable, StringComparison.Ordinal)),
        new("Npgsql sends a savepoint with the next command, where its error then comes.",
            static difference => difference.Step?.Kind == StepKind.Save && difference.Mismatch is { What: "error", Expected: "none", Actual: ['2', '5', 'P', '0', '2', ..] },
            Ends: true),
        new("Npgsql has no type of .NET for a row of a table.",
            static difference => difference.IsFacade && difference.Mismatch is { What: "error", Actual: "none" } mismatch
                && mismatch.Expected.Contains("'System.Object' is not supported", StringComparison.Ordinal)),
        new("What a reader of the driver leaves of its rows is cancelled, so that an error behind them never comes.",
            static difference => difference.IsNative && difference.Step?.Mode == StepMode.Few && difference.Mismatch is { What: "error", Actual: "none" },
            Ends: true,
            MetWithin: LongRun),
        new(
            "A transaction fails with 26000 where the driver has not noticed yet that a pooler changes the sessions of the server.",
            static difference => difference.Target.EndsWith(ScriptTargets.Undeclared, StringComparison.Ordinal)
                && difference.Mismatch is { What: "error", Actual: ['2', '6', '0', '0', '0', ..] },
            Ends: true,
            MetWithin: null),
        new("A batch that is sent again because a table changed takes the numbers of a sequence twice.",
            static difference => difference.Mismatch is { What: "tables" } mismatch
                && mismatch.Expected.EndsWith(" true", StringComparison.Ordinal) && mismatch.Actual.EndsWith(" true", StringComparison.Ordinal)
                && !mismatch.Expected.Contains('\n', StringComparison.Ordinal) && !mismatch.Actual.Contains('\n', StringComparison.Ordinal),
            MetWithin: null),
        new(
            "A prepared statement whose table another session changed, or that means another table since SET search_path, fails once in a transaction that has done work; Npgsql prepares nothing unasked.",
            static difference => difference.Mismatch is { What: "error", Actual: ['0', 'A', '0', '0', '0', ..] } mismatch
                && mismatch.Actual.Contains("cached plan", StringComparison.Ordinal)
                && !StatementsBeforeTheError(difference).Any(static statement => statement.Template.StartsWith("alter table", StringComparison.Ordinal)),
            Ends: true,
            MetWithin: LongRun),
        new(
            "A command that is about its session is refused on the connections that callers share, before the server sees that it is wrong.",
            static difference => difference.Mismatch is { What: "error" } mismatch
                && mismatch.Actual.Contains("is about the session that runs it", StringComparison.Ordinal),
            MetWithin: LongRun),
    ];

    /// <summary>A batch names the command that failed; what stands behind it has not run.</summary>
    private static IEnumerable<ScriptStatement> StatementsBeforeTheError(ScriptDifference difference)
        => difference.Script.Steps.Take(difference.StepNumber).SelectMany(static step => step.Statements)
            .Concat(difference.Script.Steps[difference.StepNumber].Statements.Take(difference.Actual?.FailedCommand ?? int.MaxValue));

    internal static KnownDifference? Of(ScriptDifference difference)
        => difference.Mismatch.What == ScriptComparison.Fault ? null : Lasting.FirstOrDefault(known => known.Holds(difference));
}

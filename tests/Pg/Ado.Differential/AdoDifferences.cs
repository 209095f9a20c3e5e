using System.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What stays different between the drivers, with its reason.</summary>
internal static class AdoDifferences
{
    private const string Busy = "! DbException";

    /// <summary>What does not change what follows.</summary>
    private static readonly (string Reason, Func<AdoStep, string, string, bool> Holds)[] s_passing =
    [
        (
            "A connection that is busy with a reader is an InvalidOperationException, as ADO.NET has it; Npgsql has a DbException of its own.",
            static (_, theirs, ours) => theirs.Replace(Busy, "! InvalidOperationException", StringComparison.Ordinal) == ours),
        (
            "A token that is cancelled already cancels PrepareAsync before anything else is looked at.",
            static (step, _, ours) => step is { Verb: AdoVerb.Prepare, IsAsync: true } && step.Choice % 5 == 0 && ours == "! OperationCanceledException"),
        (
            "A commit of a transaction that has failed is an exception: everything was rolled back. Npgsql says nothing.",
            static (step, theirs, ours) => step.Verb == AdoVerb.Commit && theirs == "done" && ours == "! InvalidOperationException"),
        (
            "A transaction of a connection that is lost is over; Npgsql has disposed it.",
            static (step, theirs, ours) => step.Verb is >= AdoVerb.Commit and <= AdoVerb.AskTransaction
                && theirs == "! ObjectDisposedException" && ours == "! InvalidOperationException"),
        (
            "A reader that has failed has no result, and so no rows and no columns.",
            static (step, theirs, ours) => (step.Verb == AdoVerb.AskReader && theirs == "has rows: True" && ours == "has rows: False")
                || (step.Verb == AdoVerb.AskReader && theirs.EndsWith(" columns", StringComparison.Ordinal) && ours == "0 columns")
                || (step.Verb == AdoVerb.AskReader && theirs == "! IndexOutOfRangeException" && ours == "! InvalidOperationException")
                || (step.Verb == AdoVerb.Schema && theirs.StartsWith("Int32", StringComparison.Ordinal) && ours == "null")),
        (
            "Prepare is refused while a reader is open; Npgsql does not notice where it has nothing to prepare.",
            static (step, theirs, ours) => step.Verb == AdoVerb.Prepare && theirs == "done" && ours == "! InvalidOperationException"),
        (
            "A statement that the server has described before is not described again, in a transaction that has failed either.",
            static (step, theirs, ours) => step.Verb == AdoVerb.Prepare && theirs == "! 25P02" && !ours.StartsWith("! 2", StringComparison.Ordinal)),
        (
            "A disposed command says so before its connection does.",
            static (_, theirs, ours) => theirs == "! InvalidOperationException" && ours == "! ObjectDisposedException"),
    ];

    /// <summary>After which the two programs are no longer the same.</summary>
    private static readonly (string Reason, Func<AdoDifference, bool> Holds)[] s_ending =
    [
        (
            "A connection that the server has ended is noticed at once; Npgsql notices it at the next command.",
            static difference => difference.Step?.Verb == AdoVerb.Open && difference.Expected == "! InvalidOperationException"
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb == AdoVerb.Kill)),
        (
            "Npgsql's pool hands out a connection whose server process an earlier program has ended.",
            static difference => difference is
            {
                Step.Verb: AdoVerb.Open, Expected: "! DbException [0: Closed to Open, 0: Open to Closed]", Actual: "opened [0: Closed to Open]",
            }),
        (
            "A savepoint is sent at once, and fails at once; Npgsql sends it with the next command.",
            static difference => difference is { Step.Verb: AdoVerb.Save, Expected: "done", Actual: ['!', ' ', '2' or '5', ..] }),
        (
            "A command does not run with a transaction that is over, or of another connection; Npgsql does not look.",
            static difference => difference is { Actual: "! InvalidOperationException" }
                && (!difference.Expected.StartsWith('!') || difference.Expected is ['!', ' ', >= '0' and <= '9', ..] || difference is { Step.Verb: AdoVerb.CancelRunning, Expected: "! OperationCanceledException" })
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb is AdoVerb.SetTransaction or AdoVerb.NewBatch)
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb is AdoVerb.Begin)),
        (
            "A disposed command stays disposed; Npgsql gives it out again.",
            static difference => difference.Actual == "! ObjectDisposedException"
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb == AdoVerb.DisposeCommand)),
        (
            "A parameter without a value that the text does not name is not looked at.",
            static difference => difference.Expected.StartsWith("! InvalidOperationException", StringComparison.Ordinal)
                && difference.Step?.Verb is >= AdoVerb.Prepare and <= AdoVerb.CancelRunning
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb == AdoVerb.SetParameter && AdoTexts.ValueOf(step.Choice) is null)),
        (
            "A statement that the server has described before is not described again, in a transaction that has failed either.",
            static difference => difference is { Expected: "! 25P02", Step.Verb: AdoVerb.Reader or AdoVerb.BatchReader } && !difference.Actual.StartsWith('!')),
        (
            "A connection that was ended in the pool is not given out; Npgsql gives it out.",
            static difference => difference.Step?.Verb == AdoVerb.Open && difference.Expected.StartsWith("! 57P01", StringComparison.Ordinal)),
        (
            "A connection that was ended just before it went to the pool may be given out before its end is known.",
            static difference => difference.Step?.Verb == AdoVerb.Open && difference.Actual.StartsWith("! 57P01", StringComparison.Ordinal)
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb == AdoVerb.Kill)),
        (
            "A transaction that has sent nothing has nothing to end, where the connection is lost too.",
            static difference => difference is { Step.Verb: AdoVerb.Rollback or AdoVerb.Commit, Expected: "! 57P01 transient", Actual: "done" }),
        (
            "A batch keeps its commands when it is disposed; Npgsql's is empty then.",
            static difference => difference.Step?.Verb is AdoVerb.BatchReader or AdoVerb.BatchNonQuery
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb == AdoVerb.DisposeBatch)),
        (
            "A transaction that is disposed is over, where a statement of an open reader has failed too.",
            static difference => difference is { Expected: "! 25P02", Actual: "! InvalidOperationException" }
                    or { Step.Verb: AdoVerb.Begin, Expected: "! InvalidOperationException", Actual: "begun" }
                && difference.Program.Steps.Take(difference.Index).Any(static step => step.Verb == AdoVerb.DisposeTransaction)),
        (
            "A PrepareAsync that was cancelled leaves nothing behind; Npgsql has read the text without the parameters that come later.",
            static difference => difference.Expected.StartsWith("! 42703", StringComparison.Ordinal)
                && difference.Program.Steps.Take(difference.Index).Any(static step => step is { Verb: AdoVerb.Prepare, IsAsync: true } && step.Choice % 5 == 0)),
        (
            "Under SingleRow there is one result; Npgsql has another one where the first was not read.",
            static difference => difference is { Step.Verb: AdoVerb.NextResult, Expected: "True", Actual: "False" }),
        (
            "Prepare meets a connection that is lost; Npgsql asks the server only for what it has not prepared.",
            static difference => difference is { Step.Verb: AdoVerb.Prepare, Expected: "done", Actual: "! 57P01 transient" }),
        (
            "A lost connection is told before a text is looked at.",
            static difference => difference is { Expected: "! InvalidOperationException", Actual: "! 57P01 transient" }),
        (
            "A connection closes whatever its reader has left.",
            static difference => difference.Step?.Verb is AdoVerb.Close or AdoVerb.DisposeConnection or AdoVerb.CloseReader && !difference.Actual.StartsWith('!')
                && difference.Expected.StartsWith('!')),
        (
            "A command whose reader is open keeps its text, even where another use of it was refused.",
            static difference => difference is { Step.Verb: AdoVerb.SetText, Expected: "done", Actual: "! InvalidOperationException" }),
        (
            "A refused command that would have closed the connection closes it at once, whatever an open reader has left.",
            static difference => difference.Expected.StartsWith('!') && difference.Actual.StartsWith("! InvalidOperationException", StringComparison.Ordinal)
                && difference.Step is { Verb: AdoVerb.Reader or AdoVerb.BatchReader } step && AdoTexts.BehaviorOf(step.Choice).HasFlag(CommandBehavior.CloseConnection)),
        (
            "COPY TO STDOUT as a command leaves the connection as it was; Npgsql closes it.",
            static difference => difference.Expected.StartsWith("! NotSupportedException [", StringComparison.Ordinal) && difference.Actual == "! NotSupportedException"),
    ];

    internal static string? ReasonToGoOn(AdoStep step, string theirs, string ours)
        => s_passing.FirstOrDefault(known => known.Holds(step, theirs, ours)).Reason;

    internal static string? ReasonOf(AdoDifference difference) => s_ending.FirstOrDefault(known => known.Holds(difference)).Reason;
}

using System.Data;

namespace Ioxide.Pg.Tests;

/// <summary>What stays different between the drivers, with its reason.</summary>
internal static class AdoDifferences
{
    private const string Refused = "! InvalidOperationException";
    private const string Disposed = "! ObjectDisposedException";
    private const string Cancelled = "! OperationCanceledException";
    private const string Busy = "! DbException";
    private const string NotSupported = "! NotSupportedException";
    private const string Lost = "! 57P01 transient";
    private const string InFailedTransaction = "! 25P02";

    internal static readonly AdoRule[] All =
    [
        new(
            "A connection that is busy with a reader is an InvalidOperationException, as ADO.NET has it; Npgsql has a DbException of its own.",
            static (difference, _) => difference.Found.IsReaderOpen && difference.Expected.Replace(Busy, Refused, StringComparison.Ordinal) == difference.Actual,
            Ends: false),
        new(
            "A token that is cancelled already cancels PrepareAsync before anything else is looked at.",
            static (difference, step) => IsCancelledPrepare(step) && difference.Actual == Cancelled,
            Ends: false),
        new(
            "A commit of a transaction that has failed is an exception: everything was rolled back. Npgsql says nothing.",
            static (difference, step) => step.Verb == AdoVerb.Commit && difference is { Expected: "done", Actual: Refused },
            Ends: false),
        new(
            "A transaction of a connection that is lost is over; Npgsql has disposed it.",
            static (difference, step) => step.Verb is >= AdoVerb.Commit and <= AdoVerb.AskTransaction && difference is { Expected: Disposed, Actual: Refused },
            Ends: false),
        new(
            "A reader that has failed has no result, and so no rows and no columns.",
            static (difference, step) => difference.Found.HasReaderFailed && (step.Verb, difference.Expected, difference.Actual) switch
            {
                (AdoVerb.AskReader, "has rows: True", "has rows: False") => true,
                (AdoVerb.AskReader, "! IndexOutOfRangeException", Refused) => true,
                (AdoVerb.AskReader, [not '!', ..], Refused) => step.Choice % 7 == AdoRun.AskOfColumn,
                (AdoVerb.AskReader, { } columns, "0 columns") => columns.EndsWith(" columns", StringComparison.Ordinal),
                (AdoVerb.Schema, { } rows, "null") => rows.StartsWith("Int32", StringComparison.Ordinal),
                _ => false,
            },
            Ends: false),
        new(
            "Prepare is refused while a reader is open; Npgsql does not notice where it has nothing to prepare.",
            static (difference, step) => step.Verb == AdoVerb.Prepare && difference is { Found.IsReaderOpen: true, Expected: "done", Actual: Refused },
            Ends: false),
        new(
            "A statement that the server has described before is not described again when it is prepared, in a transaction that has failed either.",
            static (difference, step) => step.Verb == AdoVerb.Prepare && difference is { Expected: InFailedTransaction, Actual: "done" },
            Ends: false,
            Seed: 1781),
        new(
            "A disposed command says so before its connection does.",
            static (difference, step) => IsOfDisposedCommand(difference, step) && difference is { Expected: Refused, Actual: Disposed },
            Ends: false),
        new(
            "A connection that the server has ended is noticed at once; Npgsql notices it at the next command.",
            static (difference, step) => step.Verb == AdoVerb.Open && difference.Expected == Refused && IsOpened(difference.Actual) && WasKilled(difference)),
        new(
            "Npgsql's pool hands out a connection whose server process an earlier program has ended.",
            static (difference, step) => step.Verb == AdoVerb.Open
                && difference is { Expected: "! DbException [0: Closed to Open, 0: Open to Closed]", Actual: "opened [0: Closed to Open]" },
            IsRare: true),
        new(
            "A savepoint is sent at once, and fails at once; Npgsql sends it with the next command.",
            static (difference, step) => step.Verb == AdoVerb.Save && difference is { Expected: "done", Actual: InFailedTransaction or Lost }),
        new(
            "A command does not run with a transaction that is over, or of another connection; Npgsql does not look.",
            static (difference, _) => difference is { Found.IsTransactionUnusable: true, Actual: Refused }),
        new(
            "A disposed command stays disposed; Npgsql gives it out again.",
            static (difference, step) => IsOfDisposedCommand(difference, step) && difference.Actual == Disposed),
        new(
            "A parameter without a value that the text does not name is not looked at.",
            static (difference, step) => step.Verb is >= AdoVerb.Prepare and <= AdoVerb.CancelRunning
                && (HasRun(difference, step) || (difference.Actual.StartsWith(NotSupported, StringComparison.Ordinal) && IsCopy(difference, step)))
                && difference.Expected.StartsWith(Refused, StringComparison.Ordinal)
                && difference.Before.Any(static step => step.Verb == AdoVerb.SetParameter && AdoTexts.ValueOf(step.Choice) is null)),
        new(
            "A statement that the server has described before is not described again, in a transaction that has failed either.",
            static (difference, step) => step.Verb is AdoVerb.Reader or AdoVerb.BatchReader && difference.Expected == InFailedTransaction && HasSucceeded(difference, step),
            Seed: 2466),
        new(
            "A connection that was ended in the pool is not given out; Npgsql gives it out.",
            static (difference, step) => step.Verb == AdoVerb.Open && difference.Expected.StartsWith("! 57P01", StringComparison.Ordinal) && IsOpened(difference.Actual),
            IsRare: true),
        new(
            "A connection that was ended just before it went to the pool may be given out before its end is known.",
            static (difference, step) => step.Verb == AdoVerb.Open && difference.Actual.StartsWith("! 57P01", StringComparison.Ordinal) && WasKilled(difference),
            IsRare: true),
        new(
            "A transaction that has sent nothing has nothing to end, where the connection is lost too.",
            static (difference, step) => step.Verb is AdoVerb.Rollback or AdoVerb.Commit && difference is { Expected: Lost, Actual: "done" },
            Seed: 2232),
        new(
            "A batch keeps its commands when it is disposed; Npgsql's is empty then.",
            static (difference, step) => IsBatchDisposed(difference) && (step.Verb is AdoVerb.BatchReader or AdoVerb.BatchNonQuery
                ? HasRun(difference, step)
                : step.Verb == AdoVerb.CloseReader && difference.Expected == "! ArgumentOutOfRangeException" && IsOfServer(difference.Actual)),
            Seed: 1815),
        new(
            "A transaction that is disposed is over, where a statement of an open reader has failed too.",
            static (difference, step) => (difference is { Found.IsTransactionUnusable: true, Expected: InFailedTransaction, Actual: Refused }
                    || (step.Verb == AdoVerb.Begin && difference is { Expected: Refused, Actual: "begun" }))
                && difference.Before.Any(static step => step.Verb == AdoVerb.DisposeTransaction),
            Seed: 4654),
        new(
            "A Prepare that failed or was cancelled leaves nothing behind; Npgsql has read the text without the parameters that come later.",
            static (difference, step) => difference.Expected == "! 42703" && HasRun(difference, step)
                && difference.Before.Any(before => before.Verb == AdoVerb.Prepare && before.Slot == step.Slot),
            Seed: 7667),
        new(
            "Prepare meets a connection that is lost; Npgsql asks the server only for what it has not prepared.",
            static (difference, step) => step.Verb == AdoVerb.Prepare && difference is { Expected: "done", Actual: Lost } && WasKilled(difference)),
        new(
            "A lost connection is told before a text is looked at.",
            static (difference, _) => difference is { Expected: Refused, Actual: Lost } && WasKilled(difference)),
        new(
            "A connection closes whatever its reader has left.",
            static (difference, step) => difference.Expected.StartsWith('!') && step.Verb switch
            {
                AdoVerb.Close or AdoVerb.DisposeConnection => difference.Actual.StartsWith(step.Verb == AdoVerb.Close ? "closed" : "disposed", StringComparison.Ordinal),
                AdoVerb.CloseReader => difference.Actual.StartsWith("closed, ", StringComparison.Ordinal),
                _ => false,
            }),
        new(
            "A command whose reader is open keeps its text, even where another use of it was refused.",
            static (difference, step) => step.Verb == AdoVerb.SetText && difference is { Found.IsReaderOpen: true, Expected: "done", Actual: Refused }),
        new(
            "A refused command that would have closed the connection closes it at once, whatever an open reader has left.",
            static (difference, step) => step.Verb is AdoVerb.Reader or AdoVerb.BatchReader && difference.Expected.StartsWith('!')
                && difference.Actual.StartsWith(Refused, StringComparison.Ordinal) && AdoTexts.BehaviorOf(step.Choice).HasFlag(CommandBehavior.CloseConnection)),
        new(
            "COPY TO STDOUT as a command leaves the connection as it was; Npgsql closes it.",
            static (difference, _) => difference.Expected.StartsWith($"{NotSupported} [", StringComparison.Ordinal) && difference.Actual == NotSupported),
    ];

    /// <summary>Why they differ; null where they should not. A call that does not return has no reason, nor have other rows.</summary>
    internal static AdoRule? Of(AdoDifference difference)
        => difference.Step is not { } step || difference.Actual == AdoRun.Hangs || difference.Expected == AdoRun.Hangs
            ? null
            : All.FirstOrDefault(known => known.Holds(difference, step));

    private static bool IsCancelledPrepare(AdoStep step) => step is { Verb: AdoVerb.Prepare, IsAsync: true } && step.Choice % 5 == 0;

    private static bool IsOpened(string answer) => answer == "opened" || answer.StartsWith("opened [", StringComparison.Ordinal);

    private static bool WasKilled(AdoDifference difference) => difference.Before.Any(static step => step.Verb == AdoVerb.Kill);

    private static bool IsOfDisposedCommand(AdoDifference difference, AdoStep step)
        => step.Verb is >= AdoVerb.SetText and <= AdoVerb.DisposeCommand
            && difference.Before.LastOrDefault(before => before.Slot == step.Slot && before.Verb is AdoVerb.NewCommand or AdoVerb.DisposeCommand).Verb == AdoVerb.DisposeCommand;

    private static bool IsBatchDisposed(AdoDifference difference)
        => difference.Before.LastOrDefault(static step => step.Verb is AdoVerb.NewBatch or AdoVerb.DisposeBatch).Verb == AdoVerb.DisposeBatch;

    private static bool IsCopy(AdoDifference difference, AdoStep step)
        => AdoTexts.Of(difference.Before.Last(before => before.Slot == step.Slot && before.Verb is AdoVerb.NewCommand or AdoVerb.SetText).Choice)
            .StartsWith("copy ", StringComparison.Ordinal);

    /// <summary>The answer is one of a command that ran: its result, or an error of the server.</summary>
    private static bool HasRun(AdoDifference difference, AdoStep step) => HasSucceeded(difference, step) || IsOfServer(difference.Actual);

    private static bool HasSucceeded(AdoDifference difference, AdoStep step)
    {
        string answer = difference.Actual.Split(" [")[0];
        return step.Verb switch
        {
            AdoVerb.Prepare => answer == "done",
            AdoVerb.NonQuery or AdoVerb.BatchNonQuery => answer.EndsWith(" rows", StringComparison.Ordinal),
            AdoVerb.Reader or AdoVerb.BatchReader => answer.EndsWith(" columns", StringComparison.Ordinal),
            AdoVerb.Scalar => !answer.StartsWith('!'),
            AdoVerb.CancelRunning => answer == Cancelled,
            _ => false,
        };
    }

    /// <summary>A SQLSTATE, and perhaps more.</summary>
    private static bool IsOfServer(string answer)
        => answer is ['!', ' ', _, _, _, _, _] or ['!', ' ', _, _, _, _, _, ' ', ..] && answer.AsSpan(2, 5).IndexOfAnyExceptInRange('0', 'Z') < 0;
}

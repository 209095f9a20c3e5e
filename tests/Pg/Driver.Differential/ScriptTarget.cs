using System.Data.Common;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>One way to run scripts, in a database of its own.</summary>
internal abstract class ScriptTarget(string name, string database) : IAsyncDisposable
{
    internal string Name { get; } = name;

    internal string Database { get; } = database;

    /// <summary>The target whose answers are right; null for those themselves.</summary>
    internal ScriptTarget? Oracle { get; init; }

    /// <summary>False where each transaction of a session may come to another session of the server.</summary>
    internal bool KeepsSessions { get; init; } = true;

    /// <summary>Returns when a statement of the database sleeps.</summary>
    internal required Func<string, CancellationToken, Task> SleepsAsync { get; init; }

    /// <summary>Runs a step, and catches what it throws.</summary>
    internal async Task<StepAnswer> AnswerAsync(ScriptStep step)
    {
        var answer = new StepAnswer();
        try
        {
            await RunAsync(step, answer).Within(120.Seconds(), $"{Name}: {step}");
        }
        catch (Exception error) when (error is not TimeoutException || error is PgTimeoutException)
        {
            Fail(answer, error);
        }

        return answer;
    }

    /// <summary>Gives back what the script's own session is.</summary>
    internal abstract Task EndScriptAsync();

    public abstract ValueTask DisposeAsync();

    private protected abstract Task RunAsync(ScriptStep step, StepAnswer answer);

    /// <summary>Runs a sleeping statement beside others, and cancels it while it sleeps.</summary>
    private protected async Task CancelAsync(ScriptStep step, StepAnswer answer, Func<CancellationToken, Task> sleep, Func<ScriptStatement, StepAnswer, Task> run)
    {
        using var source = new CancellationTokenSource();
        Task sleeping = sleep(source.Token);
        Task<StepAnswer>[] beside = [.. step.Statements.Skip(1).Select(statement => BesideAsync(statement, run))];

        // Where it fails at once, it never sleeps.
        using var hasEnded = new CancellationTokenSource();
        Task asleep = SleepsAsync(Database, hasEnded.Token);
        await Task.WhenAny(sleeping, asleep);
        await source.CancelAsync();
        await hasEnded.CancelAsync();
        await asleep;
        foreach (Task<StepAnswer> other in beside)
        {
            Add(answer, await other);
        }

        await sleeping;
    }

    private protected static async Task FlockAsync(ScriptStep step, StepAnswer answer, Func<ScriptStatement, StepAnswer, Task> run)
    {
        foreach (StepAnswer other in await Task.WhenAll(step.Statements.Select(statement => BesideAsync(statement, run))))
        {
            Add(answer, other);
        }
    }

    private static async Task<StepAnswer> BesideAsync(ScriptStatement statement, Func<ScriptStatement, StepAnswer, Task> run)
    {
        var answer = new StepAnswer();
        try
        {
            await run(statement, answer);
        }
        catch (Exception error) when (error is not TimeoutException)
        {
            Fail(answer, error);
        }

        return answer;
    }

    private static void Add(StepAnswer answer, StepAnswer other)
    {
        answer.Results.AddRange(other.Results);
        answer.Fault ??= other.Fault;
        if (other.Error is { } error)
        {
            answer.Results.Add(new AnsweredResult { Rows = { new[] { $"error {error}" } } });
        }
    }

    private static void Fail(StepAnswer answer, Exception error)
    {
        answer.Error = TextOf(error);
        answer.Fault = IsRefusal(error) ? null : $"{error}";
    }

    /// <summary>Whether a client refuses by it: it names what the caller did. Others say that the client has a fault, or lost its place in the protocol.</summary>
    private static bool IsRefusal(Exception error) => error switch
    {
        PgProtocolException or ObjectDisposedException => false,
        _ => error is DbException or OperationCanceledException or InvalidCastException or ArgumentException or InvalidOperationException
            or NotSupportedException or OverflowException,
    };

    private static string TextOf(Exception error) => error switch
    {
        PostgresException { SqlState: var state, MessageText: var text } => $"{state} {text}",
        PgException { SqlState: var state, MessageText: var text } => $"{state} {text}",
        OperationCanceledException => "cancelled",
        _ => $"client {error.GetType().Name}: {error.Message}",
    };
}

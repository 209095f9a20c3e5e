using System.Runtime.CompilerServices;

namespace Ioxide.TestKit;

/// <summary>Bounds for everything that a test waits for.</summary>
/// <remarks>
/// A limit of seconds stands for what must happen. It is reached only where a test fails, so that it is raised to a minute: the
/// machine may be busy with much else; <c>IOXIDE_TIME_FACTOR</c> raises it further where the machine is emulated. A limit below a second shows that
/// something does not happen, and is kept.
/// </remarks>
internal static class Waits
{
    private static readonly TimeSpan s_least = TimeSpan.FromMinutes(1);

    private static readonly int s_factor = int.TryParse(Environment.GetEnvironmentVariable("IOXIDE_TIME_FACTOR"), out int factor) ? factor : 1;

    internal static TimeSpan Seconds(this int count) => TimeSpan.FromSeconds(count);

    internal static TimeSpan Milliseconds(this int count) => TimeSpan.FromMilliseconds(count);

    /// <summary>Waits for the task; a wait that outlasts the limit fails and says what was waited for.</summary>
    internal static async Task Within(this Task task, TimeSpan limit, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        limit = Generous(limit);
        try
        {
            await task.WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException) when (!task.IsCompleted)
        {
            // How it ends later is nobody's question any more.
            Observe(task);
            throw new TimeoutException($"Not within {limit}: {what}");
        }
    }

    /// <inheritdoc cref="Within(Task, TimeSpan, string)"/>
    internal static async Task<T> Within<T>(this Task<T> task, TimeSpan limit, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await ((Task)task).Within(limit, what).ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    /// <inheritdoc cref="Within(Task, TimeSpan, string)"/>
    internal static Task<T> Within<T>(this ValueTask<T> task, TimeSpan limit, [CallerArgumentExpression(nameof(task))] string what = "")
        => task.AsTask().Within(limit, what);

    /// <inheritdoc cref="Within(Task, TimeSpan, string)"/>
    internal static Task Within(this ValueTask task, TimeSpan limit, [CallerArgumentExpression(nameof(task))] string what = "")
        => task.AsTask().Within(limit, what);

    /// <summary>What the task fails with; null where it does not. A task that does not end fails the test, as no error of its own.</summary>
    internal static async Task<Exception?> ErrorWithin(this Task task, TimeSpan limit, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await Task.WhenAny(task).Within(limit, what).ConfigureAwait(false);
        try
        {
            await task.ConfigureAwait(false);
            return null;
        }
        catch (Exception error)
        {
            return error;
        }
    }

    /// <summary>Polls a condition that nothing announces until it holds.</summary>
    internal static async Task Eventually(Func<bool> condition, TimeSpan limit, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        limit = Generous(limit);
        long started = Environment.TickCount64;
        while (!condition())
        {
            if (Environment.TickCount64 - started > limit.TotalMilliseconds)
            {
                throw new TimeoutException($"Not within {limit}: {what}");
            }

            await Task.Delay(2).ConfigureAwait(false);
        }
    }

    /// <summary>Asks until the answer is as expected, and gives that one; fails with the last one.</summary>
    internal static async Task<T> Until<T>(
        Func<Task<T>> ask, Func<T, bool> isExpected, TimeSpan limit, [CallerArgumentExpression(nameof(isExpected))] string what = "")
    {
        limit = Generous(limit);
        long started = Environment.TickCount64;
        while (true)
        {
            T answer = await ask().Within(limit, what).ConfigureAwait(false);
            if (isExpected(answer))
            {
                return answer;
            }

            if (Environment.TickCount64 - started > limit.TotalMilliseconds)
            {
                throw new TimeoutException($"Not within {limit}: {what}. The last answer was {answer}");
            }

            await Task.Delay(2).ConfigureAwait(false);
        }
    }

    /// <summary>The limit of a wait for what must happen; a short one as it is.</summary>
    internal static TimeSpan Generous(TimeSpan limit)
        => limit < TimeSpan.FromSeconds(1) ? limit : s_factor * (limit < s_least ? s_least : limit);

    /// <summary>A limit of a server's that a client which does its part must never reach: longer where the machine is emulated.</summary>
    internal static TimeSpan Stretched(TimeSpan limit) => s_factor * limit;

    /// <summary>A source whose waiters never run inside <c>SetResult</c>.</summary>
    internal static TaskCompletionSource Signal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <inheritdoc cref="Signal()"/>
    internal static TaskCompletionSource<T> Signal<T>() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>An exception of the task counts as seen, also where nobody awaits it.</summary>
    internal static void Observe(Task task)
        => task.ContinueWith(static task => _ = task.Exception, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
}

using System.Globalization;
using System.Text;

namespace Ioxide;

/// <summary>What reactors are doing and what they hold, for a person who looks at a process that hangs.</summary>
internal static class ReactorDescription
{
    /// <summary>The most lines of a dump about connections and operations, shared evenly by the reactors.</summary>
    internal const int MaxDescribed = 1024;

    private static readonly TimeSpan s_describeLimit = TimeSpan.FromSeconds(1);

    /// <summary>The dump: lines about every reactor, its connections, listeners and operations. Threads: any.</summary>
    /// <remarks>Each reactor describes its own part. Of one that does not turn within a second, only what other threads may read is told.</remarks>
    internal static async Task<string> DescribeAsync(this ReactorGroup group)
    {
        Task<string>[] parts = [.. group.Reactors.Select(static reactor => reactor.DescribeAllAsync())];
        await Task.WhenAny(Task.WhenAll(parts), group.Kernel.DelayAsync(s_describeLimit)).ConfigureAwait(false);
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"process {Environment.ProcessId}, {DateTime.UtcNow:u}, reactors on {group.Kernel.Name}\n");
        for (int index = 0; index < parts.Length; index++)
        {
            text.Append(parts[index].IsCompletedSuccessfully
                ? await parts[index].ConfigureAwait(false)
                : $"{group.Reactors[index].Describe()}\n"
                    + $"  it did not answer within {s_describeLimit.TotalSeconds} s: its connections are not listed\n");
        }

        return text.ToString();
    }

    /// <summary>The reactor in one line. Threads: any; the figures may be a turn apart.</summary>
    internal static string Describe(this Reactor reactor)
    {
        if (reactor.Buffers is null)
        {
            return $"reactor {reactor.Id}: not started";
        }

        ReactorSnapshot now = reactor.Snapshot();
        string doing = now switch
        {
            { HasEnded: true } => "ended",
            { BlockedTime.Ticks: > 0 }
                => $"blocked for {(long)now.BlockedTime.TotalMilliseconds} ms by a wait in {reactor.Blocked.Activity ?? "posted work"}",
            { TurnTime.Ticks: > 0 }
                => $"in one turn for {(long)now.TurnTime.TotalMilliseconds} ms{(reactor.Activity is { } activity ? $", runs {activity}" : "")}",
            _ => "waits for completions",
        };
        return $"reactor {reactor.Id}: {doing}{(reactor.IsStuck ? ", stuck" : "")}; "
            + $"{now.Connections} connections ({now.LingeringConnections} linger), "
            + $"{now.OperationsInFlight} operations in flight, {now.QueuedWork} posted, {now.BuffersTaken} of {now.BufferCount} receive buffers held"
            + (now.PausedListeners > 0 ? $", {now.PausedListeners} listeners paused" : "");
    }

    /// <summary>The reactor and all that holds a slot, one line each. Threads: any.</summary>
    /// <returns>Completes in the reactor's next turn, also below a handler that blocks in a wait, and at once where the reactor has ended.</returns>
    internal static Task<string> DescribeAllAsync(this Reactor reactor)
    {
        var completion = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isQueued = reactor.TryEnqueue(WorkItem.Of(reactor, completion, static (reactor, completion) =>
        {
            var text = new StringBuilder(reactor.Describe()).Append('\n');
            reactor.Operations.Describe(text, MaxDescribed / reactor.Group.Reactors.Count);
            completion.TrySetResult(text.ToString());
        }));
        return isQueued ? completion.Task : Task.FromResult($"{reactor.Describe()}\n");
    }

    /// <summary>Writes the events of an operation: of its submission without a result. Only while a listener is enabled.</summary>
    internal static void Trace(this Reactor reactor, OperationId id, int? result = null)
    {
        // The result takes the place of the generation.
        long packed = (long)((id.UserData & ~(ulong)uint.MaxValue) | (uint)result.GetValueOrDefault());
        reactor.Announce(result is null
            ? WorkItem.Of(reactor, packed, static (reactor, id) => IoxideEventSource.Log.Submitted(reactor.Id, new OperationId((ulong)id)))
            : WorkItem.Of(reactor, packed, static (reactor, id) => IoxideEventSource.Log.Completed(reactor.Id, new OperationId((ulong)id), (int)id)));
    }
}

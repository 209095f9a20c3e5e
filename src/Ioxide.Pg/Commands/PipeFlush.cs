using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Flushes the caller's pipe. It fails when the pipe's reader is gone, and stops waiting when the command is abandoned.</summary>
#pragma warning disable CA1001 // A source without a timer or a wait handle has nothing to dispose of.
internal sealed class PipeFlush(PipeWriter writer)
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _stop = new();

    /// <summary>Ends the current wait, and all later ones. Threads: the reactor's.</summary>
    internal void Stop() => _ = _stop.CancelAsync();

    /// <summary>Threads: the reactor's. Fails when the reader is gone, or after <see cref="Stop"/>.</summary>
    internal ValueTask RunAsync()
    {
        if (Reactor.Current is { IsBlocked: true })
        {
            return new ValueTask(Task.Run(() => WaitAsync(writer.FlushAsync(_stop.Token)).AsTask()));
        }

        ValueTask<FlushResult> flush = Begin();
        if (!flush.IsCompletedSuccessfully)
        {
            return WaitAsync(flush);
        }

        return IsGone(flush.Result) ? ValueTask.FromException(GoneError()) : default;
    }

    private ValueTask<FlushResult> Begin()
    {
        using ContextScope scope = Reactor.EnterApplicationHere();
        return writer.FlushAsync(_stop.Token);
    }

    private static async ValueTask WaitAsync(ValueTask<FlushResult> flush)
    {
        if (IsGone(await flush.ConfigureAwait(true)))
        {
            throw GoneError();
        }
    }

    private static bool IsGone(FlushResult flush) => flush.IsCompleted || flush.IsCanceled;

    private static OperationCanceledException GoneError() => new("The reader of the response is gone.");
}

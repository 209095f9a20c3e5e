using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Receives rows at its own pace: the connection reads no further until it is ready for more.</summary>
internal abstract class RowStream
{
    /// <summary>Rows that the server sends before it is asked for more; 0 means all.</summary>
    internal virtual int FetchSize => 0;

    /// <summary>Whether rows go to application code.</summary>
    internal abstract bool RunsUserCode { get; }

    /// <summary>One row.</summary>
    internal abstract void Take(PgRow row);

    /// <summary>All rows of one receive were taken. The connection awaits the result.</summary>
    internal virtual ValueTask ReceivedAsync() => default;

    /// <summary>The caller has stopped waiting: ends every wait.</summary>
    internal virtual void Stop()
    {
    }

    /// <summary>There are no more rows. Called once, on the reactor.</summary>
    internal virtual void Ended(PgTag tag, Exception? error)
    {
    }
}

/// <summary>Passes rows to a <see cref="RowStream"/>.</summary>
internal readonly struct StreamSink(RowStream stream) : IRowSink<PgTag>
{
    public bool CanRestart => false;

    public bool RunsUserCode => stream.RunsUserCode;

    public void Take(PgRow row) => stream.Take(row);

    public void Restart()
    {
    }

    public PgTag Finish(PgTag tag) => tag;
}

/// <summary>Writes a JSON array of objects into a pipe, and flushes it as it fills.</summary>
internal sealed class JsonStream(PipeWriter writer) : RowStream
{
    private readonly PipeFlush _flush = new(writer);
    private JsonRows _array = new(writer);

    internal override bool RunsUserCode => true;

    internal override void Take(PgRow row)
    {
        _array.Add(row);
        _flush.Written(row.LengthBytes);
    }

    internal override ValueTask ReceivedAsync() => _flush.RunIfFullAsync();

    internal override void Stop() => _flush.Stop();

    internal void Finish() => _array.End();
}

/// <summary>Flushes the caller's pipe as it fills. Fails when the pipe's reader is gone; stops waiting when the command is abandoned.</summary>
#pragma warning disable CA1001 // A source without a timer or a wait handle has nothing to dispose of.
internal sealed class PipeFlush(PipeWriter writer)
#pragma warning restore CA1001
{
    private const int FlushBytes = 16 * 1024;

    private readonly CancellationTokenSource _stop = new();
    private long _unflushed;

    /// <summary>Ends the current wait, and all later ones. Threads: the reactor's.</summary>
    internal void Stop() => _ = _stop.CancelAsync();

    internal void Written(long bytes) => _unflushed += bytes;

    /// <summary>Threads: the reactor's. Fails when the reader is gone, or after <see cref="Stop"/>.</summary>
    internal ValueTask RunIfFullAsync()
    {
        if (_unflushed < FlushBytes)
        {
            return default;
        }

        _unflushed = 0;
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

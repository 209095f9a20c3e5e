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
    private const int FlushBytes = 16 * 1024;

    private readonly PipeFlush _flush = new(writer);
    private JsonRows _array = new(writer);
    private long _unflushed;

    internal override bool RunsUserCode => true;

    internal override void Take(PgRow row)
    {
        _array.Add(row);
        _unflushed += row.LengthBytes;
    }

    internal override ValueTask ReceivedAsync()
    {
        if (_unflushed < FlushBytes)
        {
            return default;
        }

        _unflushed = 0;
        return _flush.RunAsync();
    }

    internal override void Stop() => _flush.Stop();

    internal void Finish() => _array.End();
}

using System.Buffers;

namespace Ioxide.Pg;

/// <summary>Consumes the rows of a command. A struct, so that the row loop is specialized for it.</summary>
internal interface IRowSink<TResult>
{
    /// <summary>Whether consumed rows can be discarded, so that the command may be sent again.</summary>
    bool CanRestart { get; }

    /// <summary>Whether rows, or their end, go to application code.</summary>
    bool RunsUserCode { get; }

    void Take(PgRow row);

    void Restart();

    TResult Finish(PgTag tag);
}

/// <summary>Rows are counted by the server and dropped.</summary>
internal struct TagSink : IRowSink<PgTag>
{
    public readonly bool CanRestart => true;

    public readonly bool RunsUserCode => false;

    public readonly void Take(PgRow row)
    {
    }

    public readonly void Restart()
    {
    }

    public readonly PgTag Finish(PgTag tag) => tag;
}

/// <summary>The first column of the first row.</summary>
internal struct ScalarSink<T>(bool isRequired) : IRowSink<T>
{
    private T _value = default!; // No row: the caller gets the default, or an exception.
    private bool _isTaken;

    public readonly bool CanRestart => true;

    public readonly bool RunsUserCode => CodecFor<T>.Instance is RegisteredCodec<T>;

    public void Take(PgRow row)
    {
        if (_isTaken)
        {
            return;
        }

        if (row.Count == 0)
        {
            throw new PgNoRowException();
        }

        _value = isRequired || !row.IsNull(0) ? row.Get<T>(0) : default!;
        _isTaken = true;
    }

    public void Restart()
    {
        _value = default!;
        _isTaken = false;
    }

    public readonly T Finish(PgTag tag) => _isTaken || !isRequired ? _value : throw new PgNoRowException();
}

/// <summary>The first row.</summary>
internal struct FirstSink<T>(PgRowReader<T> reader, bool isRequired) : IRowSink<T>
{
    private T _value = default!; // No row: the caller gets the default, or an exception.
    private bool _isTaken;

    public readonly bool CanRestart => true;

    public readonly bool RunsUserCode => true;

    [ApplicationSide]
    public void Take(PgRow row)
    {
        if (!_isTaken)
        {
            _value = reader(row);
            _isTaken = true;
        }
    }

    public void Restart()
    {
        _value = default!;
        _isTaken = false;
    }

    public readonly T Finish(PgTag tag) => _isTaken || !isRequired ? _value : throw new PgNoRowException();
}

/// <summary>All rows in a list.</summary>
internal readonly struct ListSink<T>(PgRowReader<T> reader, List<T> list) : IRowSink<List<T>>
{
    public bool CanRestart => true;

    public bool RunsUserCode => true;

    [ApplicationSide]
    public void Take(PgRow row) => list.Add(reader(row));

    public void Restart() => list.Clear();

    public List<T> Finish(PgTag tag) => list;
}

/// <summary>Calls the caller's callback for each row, with the caller's state.</summary>
internal readonly struct ForEachSink<TState>(PgRowAction<TState> action, TState state) : IRowSink<PgTag>
{
    public bool CanRestart => false;

    public bool RunsUserCode => true;

    [ApplicationSide]
    public void Take(PgRow row) => action(row, state);

    public void Restart()
    {
    }

    public PgTag Finish(PgTag tag) => tag;
}

/// <summary>Writes a JSON array with one object per row into the caller's writer.</summary>
internal struct JsonRows(IBufferWriter<byte> writer)
{
    private bool _hasRows;

    internal void Add(PgRow row)
    {
        var sink = new Utf8Sink(writer);
        sink.Write(_hasRows ? (byte)',' : (byte)'[');
        row.WriteObject(ref sink);
        sink.Flush();
        _hasRows = true;
    }

    internal readonly void End() => writer.Write(_hasRows ? "]"u8 : "[]"u8);
}

/// <summary>A JSON array of at most so many received bytes.</summary>
internal struct JsonArraySink(IBufferWriter<byte> writer, long maxBytes) : IRowSink<PgTag>
{
    private JsonRows _array = new(writer);
    private long _receivedBytes;

    public readonly bool CanRestart => false;

    public readonly bool RunsUserCode => true;

    public void Take(PgRow row)
    {
        _array.Add(row);
        _receivedBytes += row.LengthBytes;
        if (_receivedBytes > maxBytes)
        {
            throw new PgResultTooLargeException(maxBytes);
        }
    }

    public readonly void Restart()
    {
    }

    public readonly PgTag Finish(PgTag tag)
    {
        _array.End();
        return tag;
    }
}

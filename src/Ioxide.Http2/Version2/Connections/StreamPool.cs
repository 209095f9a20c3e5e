namespace Ioxide.Http2;

/// <summary>A connection's idle stream objects. What was not needed for a second is dropped, so that an idle connection keeps none.</summary>
/// <remarks>Threads: the reactor's.</remarks>
internal sealed class StreamPool(Http2Connection connection, Http2Application application)
{
    // As many as Kestrel keeps.
    private const int MaxStreams = 100;

    private readonly Stack<Http2Stream> _streams = new();
    private int _least;

    /// <summary>Idle objects. Threads: any.</summary>
    internal int Count => _streams.Count;

    internal Http2Stream Rent()
    {
        if (!_streams.TryPop(out Http2Stream? stream))
        {
            return new Http2Stream(connection, application);
        }

        _least = Math.Min(_least, _streams.Count);
        return stream;
    }

    internal void Return(Http2Stream stream)
    {
        if (stream.TryForget() && _streams.Count < MaxStreams && !connection.HasLeft)
        {
            _streams.Push(stream);
        }
        else
        {
            stream.Discard();
        }
    }

    /// <summary>Drops the objects that lay here since the last call.</summary>
    internal void Trim()
    {
        while (_least > 0 && _streams.TryPop(out Http2Stream? stream))
        {
            _least--;
            stream.Discard();
        }

        _least = _streams.Count;
    }
}

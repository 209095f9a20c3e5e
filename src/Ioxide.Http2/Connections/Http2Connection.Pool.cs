namespace Ioxide.Http2;

/// <summary>Idle stream objects. What was not needed for a second is dropped, so that an idle connection keeps none.</summary>
internal sealed partial class Http2Connection
{
    // As many as Kestrel keeps.
    private const int MaxPooledStreams = 100;

    private readonly Stack<Http2Stream> _pool = new();
    private int _leastPooled;

    /// <summary>Idle stream objects. Threads: any.</summary>
    internal int PooledCount => _pool.Count;

    private Http2Stream RentStream()
    {
        if (!_pool.TryPop(out Http2Stream? stream))
        {
            return _application.NewStream(this);
        }

        _leastPooled = Math.Min(_leastPooled, _pool.Count);
        return stream;
    }

    private void ReturnStream(Http2Stream stream)
    {
        if (stream.TryForget() && _pool.Count < MaxPooledStreams && !_hasLeft)
        {
            _pool.Push(stream);
        }
        else
        {
            stream.Discard();
        }
    }

    /// <summary>Drops the objects that lay here since the last call.</summary>
    private void TrimPool()
    {
        while (_leastPooled > 0 && _pool.TryPop(out Http2Stream? stream))
        {
            _leastPooled--;
            stream.Discard();
        }

        _leastPooled = _pool.Count;
    }
}

namespace Ioxide;

/// <summary>A connection's closed token, whose source is made when it is first asked for. A mutable struct: the field of its connection.</summary>
internal struct ClosedToken
{
    private ClosedSource? _source;
    private bool _isRaised;

    /// <summary>Threads: any.</summary>
    internal CancellationToken Of(RingConnection connection)
    {
        if (Volatile.Read(ref _source) is { } existing)
        {
            return existing.Token;
        }

        var created = new ClosedSource(connection);
        ClosedSource source = Interlocked.CompareExchange(ref _source, created, null) ?? created;
        if (Volatile.Read(ref _isRaised))
        {
            source.BeginLate();
        }

        return source.Token;
    }

    /// <inheritdoc cref="ClosedSource.ReaderIsOver"/>
    internal readonly void ReaderIsOver() => Volatile.Read(in _source)?.ReaderIsOver();

    internal void Raise()
    {
        Volatile.Write(ref _isRaised, true);

        // Orders the flag before the read of the source; pairs with the exchange in Of.
        Interlocked.MemoryBarrier();
        _source?.Begin();
    }
}

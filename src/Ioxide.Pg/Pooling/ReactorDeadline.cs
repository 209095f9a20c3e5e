namespace Ioxide.Pg;

/// <summary>A token that is cancelled by the reactor's clock, or with another token.</summary>
internal sealed class ReactorDeadline : TimerEntry, IDisposable
{
    private readonly Reactor _reactor;
    private readonly CancellationTokenSource _source;

    /// <param name="reactor">The reactor of the calling thread.</param>
    /// <param name="limit">Zero or less means no limit.</param>
    /// <param name="cancellationToken">Cancels it too.</param>
    internal ReactorDeadline(Reactor reactor, TimeSpan limit, CancellationToken cancellationToken)
    {
        _reactor = reactor;
        _source = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        if (limit > TimeSpan.Zero)
        {
            reactor.Timers.Add(this, reactor.DueTick(limit));
        }
    }

    internal CancellationToken Token => _source.Token;

    public void Dispose()
    {
        _reactor.Timers.Remove(this);
        _source.Dispose();
    }

    // On the thread pool: a password provider may have registered callbacks on the token.
    internal override void OnDue() => _ = _source.CancelAsync();
}

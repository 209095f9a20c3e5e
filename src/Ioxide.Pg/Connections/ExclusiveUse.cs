namespace Ioxide.Pg;

/// <summary>A connection for one user for a while: leased from a pool, or the session's that the caller has already.</summary>
internal readonly struct ExclusiveUse(CommandTarget target, IAsyncDisposable? leased) : IAsyncDisposable
{
    internal CommandTarget Target { get; } = target;

    internal static ValueTask<ExclusiveUse> BeginAsync(CommandTarget target, CancellationToken cancellationToken)
        => target is ConnectionPool pool
            ? target.DataSource.LeaseAsync(pool, cancellationToken)
            : ValueTask.FromResult(new ExclusiveUse(target, null));

    public ValueTask DisposeAsync() => leased?.DisposeAsync() ?? default;
}

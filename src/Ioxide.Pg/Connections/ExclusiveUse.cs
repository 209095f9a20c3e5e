namespace Ioxide.Pg;

/// <summary>A connection in exclusive use: leased from a pool, or that of the caller's own session.</summary>
internal readonly struct ExclusiveUse(CommandTarget target, IAsyncDisposable? leased) : IAsyncDisposable
{
    internal CommandTarget Target { get; } = target;

    internal static ValueTask<ExclusiveUse> BeginAsync(CommandTarget target, CancellationToken cancellationToken)
        => target is ConnectionPool pool
            ? target.DataSource.LeaseAsync(pool, cancellationToken)
            : ValueTask.FromResult(new ExclusiveUse(target, null));

    public ValueTask DisposeAsync() => leased?.DisposeAsync() ?? default;
}

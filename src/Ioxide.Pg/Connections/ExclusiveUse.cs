namespace Ioxide.Pg;

/// <summary>A connection in exclusive use: leased from a pool, or that of the caller's own session.</summary>
internal readonly struct ExclusiveUse(CommandTarget target, PgSession? leased) : IAsyncDisposable
{
    internal CommandTarget Target { get; } = target;

    internal static async ValueTask<ExclusiveUse> BeginAsync(CommandTarget target, CancellationToken cancellationToken)
    {
        if (target is not ReactorPool pool)
        {
            return new ExclusiveUse(target, null);
        }

        PgSession session = await PgDataSource.OpenSessionAsync(pool, cancellationToken).ConfigureAwait(true);
        return new ExclusiveUse(session.Target, session);
    }

    public ValueTask DisposeAsync() => leased?.DisposeAsync() ?? default;
}

namespace Ioxide.Pg;

/// <summary>A connection that nobody else uses for a while: leased from a pool, or the session's that the caller has already.</summary>
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

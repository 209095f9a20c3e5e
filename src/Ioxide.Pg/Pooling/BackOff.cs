namespace Ioxide.Pg;

/// <summary>The wait before the next attempt to connect: it doubles, with jitter, so that a returning server is not flooded.</summary>
internal sealed class BackOff(PgDataSourceOptions options)
{
    private double _delayMs;
    private long _notBeforeTick;

    /// <summary>The current step before jitter; zero after a success.</summary>
    internal TimeSpan Delay => TimeSpan.FromMilliseconds(_delayMs);

    internal TimeSpan Remaining(long nowTick) => TimeSpan.FromMilliseconds(Math.Max(0, _notBeforeTick - nowTick));

    internal void Succeeded()
    {
        _delayMs = 0;
        _notBeforeTick = 0;
    }

    internal void Failed(long nowTick)
    {
        _delayMs = Math.Clamp(_delayMs * 2, options.ReconnectDelayMin.TotalMilliseconds, options.ReconnectDelayMax.TotalMilliseconds);
#pragma warning disable CA5394 // The jitter guards nothing.
        _notBeforeTick = nowTick + (long)(_delayMs * (0.5 + (Random.Shared.NextDouble() / 2)));
#pragma warning restore CA5394
    }
}

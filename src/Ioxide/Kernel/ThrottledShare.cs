namespace Ioxide;

/// <summary>The share of the last 5 to 10 seconds in which a quota kept the process off the processors; longer where looks are rarer.</summary>
/// <remarks>
/// In percent; above 100 where several processors were taken at once, which version 1 of control groups adds up. Threads: any; of looks at once, all
/// but one get the answer of the one before.
/// </remarks>
internal sealed class ThrottledShare
{
    private const long WindowMs = 5000;

    private (long AtMs, TimeSpan Throttled)? _before;
    private (long AtMs, TimeSpan Throttled) _last;
    private int _percent;
    private int _isBusy;

    /// <summary>The answer of the last look.</summary>
    internal int Percent => Volatile.Read(ref _percent);

    /// <param name="nowMs">Milliseconds of a clock.</param>
    /// <param name="throttled">How long the process has been throttled by then. Never less than before.</param>
    internal int PercentAt(long nowMs, TimeSpan throttled)
    {
        if (Interlocked.Exchange(ref _isBusy, 1) == 0)
        {
            Volatile.Write(ref _percent, Look(nowMs, throttled));
            Volatile.Write(ref _isBusy, 0);
        }

        return Percent;
    }

    private int Look(long nowMs, TimeSpan throttled)
    {
        _last = _before is null ? (nowMs, throttled) : _last;
        (long AtMs, TimeSpan Throttled) before = _before ??= _last;
        if (nowMs - _last.AtMs >= WindowMs)
        {
            _before = _last;
            _last = (nowMs, throttled);
        }

        return nowMs > before.AtMs ? (int)(100 * (throttled - before.Throttled).TotalMilliseconds / (nowMs - before.AtMs)) : 0;
    }
}

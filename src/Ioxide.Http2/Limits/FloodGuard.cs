namespace Ioxide.Http2;

/// <summary>Bounds a peer's frames that serve no request: a budget that refills with time and with useful work.</summary>
/// <remarks>A mutable struct: keep it in a field that is not read-only. The clock is read only when the budget is spent.</remarks>
internal struct FloodGuard(int budget, int perSecond)
{
    private const int LargestEarned = 1 << 20;

    private long _left = budget;
    private long _filledAt = Environment.TickCount64;

    /// <summary>Pays for one frame.</summary>
    /// <returns>False if the peer's budget is spent.</returns>
    internal bool TryPay()
    {
        if (_left > 0)
        {
            _left--;
            return true;
        }

        long now = Environment.TickCount64;
        long earned = Math.Min((now - _filledAt) * perSecond / 1000, budget);
        if (earned == 0)
        {
            return false;
        }

        _filledAt = now;
        _left = earned - 1;
        return true;
    }

    /// <summary>Useful work was done for the peer, which needs control frames too.</summary>
    internal void Refill(int frames) => _left = Math.Min(_left + frames, LargestEarned);
}

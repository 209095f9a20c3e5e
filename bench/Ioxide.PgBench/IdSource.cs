namespace Ioxide.PgBench;

/// <summary>The same row of numbers on every side, one a caller (xorshift).</summary>
internal struct IdSource(int caller)
{
    private uint _state = (uint)((caller + 1) * 747796405) | 1;

    /// <summary>From 1 to the count.</summary>
    internal int Next(int count)
    {
        _state ^= _state << 13;
        _state ^= _state >> 17;
        _state ^= _state << 5;
        return (int)(_state % (uint)count) + 1;
    }
}

namespace Ioxide.Pg.Tests;

/// <summary>How a <see cref="FakeServer"/> brings the bytes of its script to the client.</summary>
/// <param name="SliceBytes">At most so many bytes a send; 0 for all.</param>
/// <param name="SplitAt">A pause after that byte of the whole script, so that what follows comes alone; -1 for none.</param>
/// <param name="EndAt">The connection ends after that byte of the whole script; -1 for no end.</param>
/// <param name="IsReset">Whether it ends by a reset.</param>
internal sealed record Delivery(int SliceBytes = 0, long SplitAt = -1, long EndAt = -1, bool IsReset = false)
{
    internal static readonly Delivery Whole = new();

    /// <summary>After a split the client has time to take what came before it.</summary>
    internal static readonly TimeSpan SplitPause = TimeSpan.FromMilliseconds(2);

    internal static Delivery Slices(int bytes) => new(SliceBytes: bytes);

    internal static Delivery Split(long at) => new(SplitAt: at);

    internal static Delivery Cut(long at, bool isReset = false) => new(EndAt: at, IsReset: isReset);
}

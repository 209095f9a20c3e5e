namespace Ioxide.Soak;

/// <summary>An answer that is far larger than what the sockets hold, taken in small pieces with pauses.</summary>
internal sealed class SlowReaderLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "slow reader", number, seed)
{
    private const int Length = 256 * 1024;
    private const int PieceBytes = 8 * 1024;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(15);

    protected override async Task RunSessionAsync()
    {
        using HttpConnection connection = await HttpConnection.ConnectAsync(
            Target.Main, Lane, Counters, receiveBufferBytes: 4096);
        long key = Random.NextInt64();
        await connection.SendAsync(HttpConnection.GetText(key, Length));
        await connection.ReadPatternAsync(key, Length, PieceBytes, () => Gate.PauseAsync(s_pause));
        Counters.Answered(Name);
    }
}

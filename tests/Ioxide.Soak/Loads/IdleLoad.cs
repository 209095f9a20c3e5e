namespace Ioxide.Soak;

/// <summary>A connection that asks seldom, and now and then goes away without a word.</summary>
internal sealed class IdleLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "idle", number, seed)
{
    private const int Length = 200;
    private const int RequestsPerConnection = 3;
    private const int MaxPauseMs = 6000;

    protected override async Task RunSessionAsync()
    {
        using HttpConnection connection = await HttpConnection.ConnectAsync(Target.Main, Lane, Counters);
        for (int i = 0; i < RequestsPerConnection && Gate.IsOpen; i++)
        {
            Lane.Rest();
            await Gate.PauseAsync(TimeSpan.FromMilliseconds(Random.Next(MaxPauseMs)));
            Lane.Touch();
            long key = Random.NextInt64();
            await connection.SendAsync(HttpConnection.GetText(key, Length));
            await connection.ReadPatternAsync(key, Length);
            Counters.Answered(Name);
        }

        if (Random.Next(2) == 0)
        {
            connection.Reset();
        }
    }
}

using System.Diagnostics;

namespace Ioxide.Soak;

/// <summary>Small requests one after the other on a connection. Their latency is the one that is reported.</summary>
internal sealed class KeepAliveLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "keep-alive", number, seed)
{
    private const int RequestsPerConnection = 500;
    private const int MaxLength = 2000;

    protected override async Task RunSessionAsync()
    {
        using HttpConnection connection = await HttpConnection.ConnectAsync(Target.Main, Lane, Counters);
        for (int i = 0; i < RequestsPerConnection && Gate.IsOpen; i++)
        {
            long key = Random.NextInt64();
            int length = Random.Next(MaxLength);

            // Most handlers answer at once; a timer costs its own time, so it is left to the other loads.
            ResumePlace place = Random.Next(40) switch
            {
                < 4 => ResumePlace.Yield,
                < 8 => ResumePlace.ThreadPool,
                8 => ResumePlace.Blocked,
                _ => ResumePlace.Here,
            };
            long started = Stopwatch.GetTimestamp();
            await connection.SendAsync(HttpConnection.GetText(key, length, place));
            await connection.ReadPatternAsync(key, length);
            Counters.Latency.AddSince(started);
            Counters.Answered(Name);
        }
    }
}

namespace Ioxide.Soak;

/// <summary>Answers of megabytes.</summary>
internal sealed class DownloadLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "download", number, seed)
{
    private const int DownloadsPerConnection = 8;
    private const int MaxLength = 4 * 1024 * 1024;

    protected override async Task RunSessionAsync()
    {
        using HttpConnection connection = await HttpConnection.ConnectAsync(Target.Main, Lane, Counters);
        for (int i = 0; i < DownloadsPerConnection && Gate.IsOpen; i++)
        {
            long key = Random.NextInt64();
            int length = Random.Next(MaxLength);
            await connection.SendAsync(HttpConnection.GetText(key, length));
            await connection.ReadPatternAsync(key, length);
            Counters.Answered(Name);
        }
    }
}

namespace Ioxide.Soak;

/// <summary>A connection for each request or for none, left in every way that a client can leave.</summary>
internal sealed class ChurnLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "churn", number, seed)
{
    private const int LeavingCount = 8;
    private const int Length = 1000;
    private const int LargeLength = 300_000;

    protected override async Task RunSessionAsync()
    {
        using HttpConnection connection = await HttpConnection.ConnectAsync(Target.Main, Lane, Counters);
        long key = Random.NextInt64();
        string request = HttpConnection.GetText(key, Length, (ResumePlace)Random.Next((int)ResumePlace.Count));
        switch (Random.Next(LeavingCount))
        {
            case 0:
                connection.Reset();
                break;
            case 1:
                connection.Finish();
                await connection.ReadToEndAsync();
                break;
            case 2:
                await connection.SendAsync(request[..Random.Next(request.Length)]);
                connection.Reset();
                break;
            case 3:
                await connection.SendAsync(request);
                connection.Reset();
                break;
            case 4:
                await connection.SendAsync(HttpConnection.GetText(key, LargeLength));
                connection.Dispose();
                break;
            case 5:
                await AskAsync(connection, request, key);
                connection.Reset();
                break;
            case 6:
                await AskAsync(connection, request, key);
                connection.Finish();
                await connection.ReadToEndAsync();
                break;
            default:
                await AskAsync(connection, request, key);
                break;
        }
    }

    private async Task AskAsync(HttpConnection connection, string request, long key)
    {
        await connection.SendAsync(request);
        await connection.ReadPatternAsync(key, Length);
        Counters.Answered(Name);
    }
}

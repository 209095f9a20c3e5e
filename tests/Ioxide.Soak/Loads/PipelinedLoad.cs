namespace Ioxide.Soak;

/// <summary>Many requests in one write, their answers in the order of asking.</summary>
internal sealed class PipelinedLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "pipelined", number, seed)
{
    private const int BatchesPerConnection = 50;
    private const int RequestsPerBatch = 16;
    private const int MaxLength = 6000;

    protected override async Task RunSessionAsync()
    {
        using HttpConnection connection = await HttpConnection.ConnectAsync(Target.Main, Lane, Counters);
        for (int batch = 0; batch < BatchesPerConnection && Gate.IsOpen; batch++)
        {
            (long Key, int Length, ResumePlace Place)[] requests =
            [
                .. Enumerable.Range(0, RequestsPerBatch)
                    .Select(_ => (Random.NextInt64(), Random.Next(MaxLength), (ResumePlace)Random.Next((int)ResumePlace.Count))),
            ];
            await connection.SendAsync(
                string.Concat(requests.Select(request => HttpConnection.GetText(request.Key, request.Length, request.Place))));
            foreach ((long key, int length, _) in requests)
            {
                await connection.ReadPatternAsync(key, length);
                Counters.Answered(Name);
            }
        }
    }
}

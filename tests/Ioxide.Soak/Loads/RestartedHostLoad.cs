using System.Net.Sockets;

namespace Ioxide.Soak;

/// <summary>Requests to the application that is restarted: what it took, it answers to the last byte.</summary>
internal sealed class RestartedHostLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "restarted host", number, seed)
{
    private const int RequestsPerConnection = 200;
    private const int MaxLength = 100_000;

    private bool _isBetweenAnswers;

    /// <summary>Idle connections are closed when it stops, and for a moment nobody listens.</summary>
    protected override bool MayBeTurnedAway => _isBetweenAnswers;

    protected override async Task RunSessionAsync()
    {
        _isBetweenAnswers = true;
        using HttpConnection connection = await HttpConnection.ConnectAsync(Target.Second, Lane, Counters);
        for (int i = 0; i < RequestsPerConnection && Gate.IsOpen; i++)
        {
            long key = Random.NextInt64();
            int length = Random.Next(MaxLength);
            long before = connection.Received;
            try
            {
                await connection.SendAsync(HttpConnection.GetText(key, length, (ResumePlace)Random.Next((int)ResumePlace.Count)));
                await connection.ReadPatternAsync(key, length);
            }
            catch (Exception exception) when (exception is SocketException or IOException)
            {
                _isBetweenAnswers = connection.Received == before;
                throw;
            }

            Counters.Answered(Name);
        }
    }
}

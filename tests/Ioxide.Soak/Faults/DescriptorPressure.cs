using System.Net.Sockets;

namespace Ioxide.Soak;

/// <summary>
/// More clients come, step by step, than the server may open descriptors. Those that find none wait, and each is served.
/// </summary>
internal sealed class DescriptorPressure(LoadSurroundings surroundings) : Fault("descriptors", surroundings)
{
    private const int ClientCount = SoakServer.MaxOpenFiles;
    private const int StepSize = 10;
    private const int Length = 500;
    private static readonly TimeSpan s_stepLimit = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(15);

    internal override async Task RunAsync(Random random)
    {
        await Surroundings.Descriptors.WaitAsync();
        try
        {
            await UseUpAsync(random);
        }
        finally
        {
            Surroundings.Descriptors.Release();
        }
    }

    private async Task UseUpAsync(Random random)
    {
        TaskCompletionSource allCame = new(TaskCreationOptions.RunContinuationsAsynchronously);
        List<Task> clients = [];
        while (clients.Count < ClientCount)
        {
            Task[] answered = [.. Enumerable.Range(0, StepSize).Select(_ => Ask(random.NextInt64(), allCame.Task, clients))];
            await Task.WhenAny(Task.WhenAll(answered), Task.Delay(s_stepLimit));
        }

        // Those that are served leave, and make room for those that wait.
        allCame.SetResult();
        try
        {
            await Task.WhenAll(clients).WaitAsync(s_limit);
        }
        catch (TimeoutException)
        {
            int waiting = clients.Count(client => !client.IsCompleted);
            Surroundings.Counters.AddHung($"{waiting} clients that had to wait for descriptors");
        }
    }

    /// <summary>Starts a client, which holds its connection until all came, and gives the task of its answer.</summary>
    private Task Ask(long key, Task allCame, List<Task> clients)
    {
        TaskCompletionSource answered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        clients.Add(AskAsync(key, answered, allCame));
        return answered.Task;
    }

    private async Task AskAsync(long key, TaskCompletionSource answered, Task allCame)
    {
        Lane lane = new("a client that had to wait for a descriptor");
        try
        {
            using HttpConnection connection = await HttpConnection.ConnectAsync(
                Surroundings.Target.Main, lane, Surroundings.Counters);
            await connection.SendAsync(HttpConnection.GetText(key, Length));
            await connection.ReadPatternAsync(key, Length);
            answered.SetResult();
            await allCame;
        }
        catch (Exception exception) when (exception is SocketException or IOException or InvalidDataException)
        {
            Surroundings.Counters.AddError(lane.Name, exception);
            answered.TrySetResult();
        }
    }
}

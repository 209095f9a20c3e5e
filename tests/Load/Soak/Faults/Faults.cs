using System.Net.Sockets;

namespace Ioxide.Soak;

/// <summary>What happens to the server besides load. Clients that block get a thread of their own.</summary>
internal sealed class Faults(Surroundings surroundings)
{
    private ServerProcess Server => surroundings.Server;

    /// <summary>Many connections that send a part of a request, or all of it, and reset.</summary>
    internal Task ResetManyAsync(Random random) => OnThreadAsync(() =>
    {
        const int ConnectionCount = 300;
        Peer[] peers = Connect(ConnectionCount);
        foreach (Peer peer in peers)
        {
            string request = Peer.PatternRequest(random.NextInt64(), lengthBytes: 50_000);
            try
            {
                peer.Send(request[..random.Next(request.Length + 1)]);
            }
            catch (SocketException)
            {
                // The server was faster.
            }
        }

        Array.ForEach(peers, static peer => peer.Reset());
    });

    /// <summary>Connections that send a byte of a head now and then. The server ends them by its limit of time for a head.</summary>
    internal Task DripAsync(Random random) => OnThreadAsync(() =>
    {
        const int ConnectionCount = 100;
        int closed = Drip.Run(surroundings.Main, ConnectionCount, betweenBytes: 200.Milliseconds(), limit: 10.Seconds()).Count;
        if (closed < ConnectionCount)
        {
            surroundings.Counters.AddHung($"{ConnectionCount - closed} slow heads that the server did not end");
        }
    });

    /// <summary>Connections that ask for much, read nothing, and reset after a while.</summary>
    internal Task ReadNothingAsync(Random random) => OnThreadAsync(() =>
    {
        const int ConnectionCount = 50;
        const int Length = 8 * 1024 * 1024;
        Peer[] peers = Connect(ConnectionCount, receiveBufferBytes: 4096);
        Array.ForEach(peers, peer => peer.SendPattern(random.NextInt64(), Length));
        surroundings.Gate.Pause(1500.Milliseconds());
        Array.ForEach(peers, static peer => peer.Reset());
    });

    /// <summary>
    /// More clients come, step by step, than the server may open descriptors. Those that find none wait, and each is served once others leave.
    /// </summary>
    internal Task UseUpDescriptorsAsync(Random random) => WithDescriptorsAsync(() => OnThreadAsync(() =>
    {
        const int StepSize = 10;
        const int Length = 500;
        const int StepMs = 50;
        List<(Peer Peer, long Key)> waiting = [];
        try
        {
            while (waiting.Count < Surroundings.MaxOpenFiles)
            {
                for (int i = 0; i < StepSize; i++)
                {
                    waiting.Add((Connect(1)[0], random.NextInt64()));
                    waiting[^1].Peer.SendPattern(waiting[^1].Key, Length);
                }

                SpinWait.SpinUntil(() => waiting.TakeLast(StepSize).All(static client => client.Peer.HasInput), StepMs);
            }

            // Those that are served leave, and make room for those that wait.
            if (!Waiting.Serve(waiting, Length, 15.Seconds()))
            {
                surroundings.Counters.AddHung($"{waiting.Count} clients that had to wait for descriptors");
            }
        }
        finally
        {
            waiting.ForEach(static client => client.Peer.Dispose());
        }
    }));

    /// <summary>The server collects garbage over and over, compacting what it can move.</summary>
    internal Task StormAsync() => Server.CommandAsync("storm");

    /// <summary>The whole server stands still for a moment.</summary>
    internal async Task SuspendAsync()
    {
        await Server.Process.FreezeAsync();
        try
        {
            await Task.Delay(200);
        }
        finally
        {
            Server.Process.Signal(Signals.Continue);
        }
    }

    /// <summary>Something that listens is stopped gracefully and started again.</summary>
    internal Task RestartAsync(int siteIndex) => WithDescriptorsAsync(() => Server.CommandAsync($"restart {siteIndex}"));

    private static Task OnThreadAsync(Action work) => Crew.RunAsync(1, _ => work());

    private async Task WithDescriptorsAsync(Func<Task> runAsync)
    {
        await surroundings.Descriptors.WaitAsync();
        try
        {
            await runAsync();
        }
        finally
        {
            surroundings.Descriptors.Release();
        }
    }

    private Peer[] Connect(int count, int receiveBufferBytes = 0)
        => [.. Enumerable.Range(0, count).Select(_ => Peer.Connect(surroundings.Main, receiveBufferBytes, Surroundings.PatienceMs))];
}

using System.Diagnostics;

namespace Ioxide.Soak;

/// <summary>Sessions that ask for bytes of a key.</summary>
internal static class HttpLoads
{
    private static readonly VisitKind[] s_kinds = Enum.GetValues<VisitKind>();
    private static readonly string[] s_places = ["here", "yield", "timer", "pool", "blocked"];

    /// <summary>Small requests one after the other on a connection. Their latency is the one that is reported.</summary>
    internal static void KeepAlive(Worker worker)
    {
        const int RequestCount = 500;
        const int MaxLength = 2000;
        using Peer peer = worker.Connect();
        for (int i = 0; i < RequestCount && worker.Gate.IsOpen; i++)
        {
            // Most handlers answer at once; a timer costs its own time, so it is left to the other loads.
            string place = worker.Random.Next(40) switch
            {
                < 4 => "yield",
                < 8 => "pool",
                8 => "blocked",
                _ => "here",
            };
            long started = Stopwatch.GetTimestamp();
            Ask(worker, peer, MaxLength, $"/pattern?place={place}&");
            worker.Surroundings.Counters.Latencies.AddSince(started);
        }
    }

    /// <summary>Many requests in one write, their answers in the order of asking.</summary>
    internal static void Pipelined(Worker worker)
    {
        const int BatchCount = 50;
        const int RequestsPerBatch = 16;
        const int MaxLength = 6000;
        using Peer peer = worker.Connect();
        for (int batch = 0; batch < BatchCount && worker.Gate.IsOpen; batch++)
        {
            (long Key, int Length)[] requests =
                [.. Enumerable.Range(0, RequestsPerBatch).Select(_ => (worker.Random.NextInt64(), worker.Random.Next(MaxLength)))];
            peer.Send(string.Concat(requests.Select(request => Peer.PatternRequest(request.Key, request.Length, path: AnyPlace(worker)))));
            peer.ReadReplies(requests);
            for (int i = 0; i < RequestsPerBatch; i++)
            {
                worker.AddAnswer();
            }
        }
    }

    /// <summary>Answers of megabytes.</summary>
    internal static void Download(Worker worker)
    {
        const int DownloadCount = 8;
        const int MaxLength = 4 * 1024 * 1024;
        using Peer peer = worker.Connect();
        for (int i = 0; i < DownloadCount && worker.Gate.IsOpen; i++)
        {
            Ask(worker, peer, MaxLength, "/pattern?");
        }
    }

    /// <summary>An answer that is far larger than what the sockets hold, taken in small pieces with pauses.</summary>
    internal static void SlowReader(Worker worker)
    {
        const int Length = 256 * 1024;
        const int PieceBytes = 8 * 1024;
        const int PauseMs = 15;
        using Peer peer = worker.Connect(receiveBufferBytes: 4096);
        long key = worker.Random.NextInt64();
        peer.SendPattern(key, Length);
        peer.ReadPart(key, Length, Length, PieceBytes, () => worker.Gate.Pause(TimeSpan.FromMilliseconds(PauseMs)));
        worker.AddAnswer();
    }

    /// <summary>A connection that asks seldom, and now and then goes away without a word.</summary>
    internal static void Idle(Worker worker)
    {
        const int RequestCount = 3;
        const int MaxLength = 400;
        const int MaxPauseMs = 6000;
        using Peer peer = worker.Connect();
        for (int i = 0; i < RequestCount && worker.Gate.IsOpen; i++)
        {
            worker.Gate.Pause(TimeSpan.FromMilliseconds(worker.Random.Next(MaxPauseMs)));
            Ask(worker, peer, MaxLength, "/pattern?");
        }

        if (worker.Random.Next(2) == 0)
        {
            peer.Reset();
        }
    }

    /// <summary>A connection for some requests or for none, left in every way that a client can leave.</summary>
    internal static void Churn(Worker worker)
    {
        using Peer peer = worker.Connect();
        VisitKind kind = s_kinds[worker.Random.Next(s_kinds.Length)];
        Visit.Play(peer, kind, worker.Random.NextInt64(), worker.Random, path: AnyPlace(worker));
        worker.AddAnswer();
    }

    /// <summary>Requests to the application that is restarted: what it took, it answers to the last byte.</summary>
    internal static void Restarted(Worker worker)
    {
        const int RequestCount = 200;
        const int MaxLength = 100_000;
        using Peer peer = worker.ConnectToRestarted(worker.Surroundings.Second);
        for (int i = 0; i < RequestCount && worker.Gate.IsOpen; i++)
        {
            Ask(worker, peer, MaxLength, AnyPlace(worker));
        }
    }

    private static void Ask(Worker worker, Peer peer, int maxLength, string path)
    {
        long key = worker.Random.NextInt64();
        int length = worker.Random.Next(maxLength);
        peer.SendPattern(key, length, path: path);
        peer.ReadReply(key, length);
        worker.AddAnswer();
    }

    private static string AnyPlace(Worker worker) => $"/pattern?place={s_places[worker.Random.Next(s_places.Length)]}&";
}

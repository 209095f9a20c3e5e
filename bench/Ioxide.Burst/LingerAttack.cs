using System.Diagnostics;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Burst;

/// <summary>Bad requests with more behind them, from clients that never close; honest requests in between.</summary>
internal static class LingerAttack
{
    private const int Attackers = 3000;
    private const int AttackersPerSecond = 800;
    private const int Honest = 20;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    internal static async Task RunAsync(string transport, int descriptors)
    {
        await using ServerProcess server = new ServerProcess(transport, descriptors, isLimited: true);
        await AskAsync(server);
        int before = server.CountDescriptors();
        int most = 0;
        var sockets = new List<Socket>();
        var answers = new List<Task<bool>>();
        byte[] bad = Encoding.ASCII.GetBytes("BAD\r\n\r\n" + new string('x', 3000));
        long started = Stopwatch.GetTimestamp();
        for (int number = 0; number < Attackers; number++)
        {
            TimeSpan ahead = TimeSpan.FromSeconds(number / (double)AttackersPerSecond) - Stopwatch.GetElapsedTime(started);
            if (ahead > TimeSpan.FromMilliseconds(5))
            {
                most = Math.Max(most, server.CountDescriptors());
                await Task.Delay(ahead);
            }

            Socket socket = await server.ConnectAsync();
            sockets.Add(socket);
            socket.Blocking = false;
            _ = socket.Send(bad, 0, bad.Length, SocketFlags.None, out _);
            if (number % (Attackers / Honest) == Attackers / Honest / 2)
            {
                answers.Add(AskAsync(server));
            }
        }

        TimeSpan took = Stopwatch.GetElapsedTime(started);
        bool[] answered = await Task.WhenAll(answers);
        Console.WriteLine(
            $"{transport,-8} {Attackers} attackers in {took.TotalSeconds:F1} s, limit {BurstServer.ConnectionLimit}, ulimit -n {descriptors}: {before} descriptors before, "
            + $"{most} at most; {answered.Count(static isAnswered => isAnswered)} of {answered.Length} honest requests answered");
        sockets.ForEach(static socket => socket.Dispose());
    }

    private static async Task<bool> AskAsync(ServerProcess server)
    {
        using var limit = new CancellationTokenSource(s_patience);
        try
        {
            using Socket socket = await server.ConnectAsync();
            await socket.SendAsync("GET /ok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray(), limit.Token);
            byte[] answer = new byte[1024];
            int received = await socket.ReceiveAsync(answer, limit.Token);
            return Encoding.ASCII.GetString(answer, 0, received).StartsWith("HTTP/1.1 200", StringComparison.Ordinal);
        }
        catch (Exception exception) when (exception is SocketException or OperationCanceledException)
        {
            // Counted as not answered.
            return false;
        }
    }
}

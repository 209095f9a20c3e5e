using System.Diagnostics;

namespace Ioxide.Handshakes;

/// <summary>2,100 silent clients at once, then 300 more a second, and what an honest handshake takes before and meanwhile.</summary>
internal static class Flood
{
    private const int AtOnce = 2100;
    private const int PerSecond = 300;
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(3);

    internal static async Task RunAsync(FloodOptions options)
    {
        byte[] bytes = options.Bytes();
        for (int round = 1; round <= options.Rounds; round++)
        {
            foreach (string side in (string[])["stock", "ioxide"])
            {
                await RunSideAsync(side, round, options, bytes);
            }
        }
    }

    private static async Task RunSideAsync(string side, int round, FloodOptions options, byte[] bytes)
    {
        await using ServerProcess server = new ServerProcess(side, options.Key);
        await HonestForAsync(server, s_warmUp);
        Console.WriteLine($"{round} {side,-7} alone    {await HonestForAsync(server, s_warmUp)}");
        using var silent = new SilentClients(server.EndPoint, bytes);
        double cpuBefore = server.CpuSeconds();
        await silent.OpenAsync(AtOnce);
        bool isOver = false;
        var honest = new HonestClient(server.EndPoint);
        Task asking = honest.RunAsync(() => Volatile.Read(ref isOver));
        await silent.OpenAtRateAsync(PerSecond, TimeSpan.FromSeconds(options.Seconds));
        Volatile.Write(ref isOver, true);
        await asking;
        Console.WriteLine(
            $"{round} {side,-7} flooded  {honest}; {silent.Opened} silent ({options.Kind}), {server.ResidentMebibytes():F0} MiB resident, "
            + $"{server.CpuSeconds() - cpuBefore:F1} s of CPU");
    }

    private static async Task<HonestClient> HonestForAsync(ServerProcess server, TimeSpan duration)
    {
        long started = Stopwatch.GetTimestamp();
        var honest = new HonestClient(server.EndPoint);
        await honest.RunAsync(() => Stopwatch.GetElapsedTime(started) > duration);
        return honest;
    }
}

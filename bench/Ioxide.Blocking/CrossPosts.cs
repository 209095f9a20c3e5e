using System.Diagnostics;
using System.Globalization;
using System.Runtime.Versioning;

namespace Ioxide.Blocking;

/// <summary>Posts from reactor to reactor: what one costs, and what others wait for beside a reactor that posts and then computes.</summary>
[SupportedOSPlatform("linux")]
internal static class CrossPosts
{
    private const int Trips = 300_000;
    private static readonly TimeSpan s_computes = TimeSpan.FromSeconds(3);

    internal static async Task RunAsync(int rounds)
    {
        await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 2 });
        Reactor first = group.Reactors[0];
        Reactor second = group.Reactors[1];
        foreach (int burst in (int[])[1, 16])
        {
            List<double> costs = [];
            for (int round = 0; round <= rounds; round++)
            {
                costs.Add(await CostAsync(first, second, burst));
            }

            // The first round compiles.
            Print($"CPU time per post, {burst} at once", costs[1..], "us");
        }

        List<double> waits = [];
        for (int round = 0; round < rounds; round++)
        {
            waits.AddRange(await WaitsAsync(first, second));
        }

        waits.Sort();
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"a post beside a reactor that posted and computes 3 s: p50 {waits[waits.Count / 2]:F2} ms, p99 {waits[waits.Count * 99 / 100]:F2} ms, longest {waits[^1]:F2} ms of {waits.Count}"));
    }

    /// <summary>Bursts go to and fro between the two; each finds the other asleep.</summary>
    private static async Task<double> CostAsync(Reactor first, Reactor second, int burst)
    {
        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        int left = Trips / burst;
        TimeSpan before = Process.GetCurrentProcess().TotalProcessorTime;
        void Send(Reactor to, Reactor back)
        {
            for (int index = 1; index < burst; index++)
            {
                to.Post(static _ => { }, null);
            }

            to.Post(
                _ =>
                {
                    if (--left > 0)
                    {
                        Send(back, to);
                    }
                    else
                    {
                        done.SetResult();
                    }
                },
                null);
        }

        first.Post(_ => Send(second, first), null);
        await done.Task;
        return (Process.GetCurrentProcess().TotalProcessorTime - before).TotalMicroseconds / Trips;
    }

    private static async Task<List<double>> WaitsAsync(Reactor busy, Reactor other)
    {
        List<double> waits = [];
        TaskCompletionSource begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
        busy.Post(
            _ =>
            {
                long start = Stopwatch.GetTimestamp();
                other.Post(static _ => { }, null);
                begun.SetResult();
                while (Stopwatch.GetElapsedTime(start) < s_computes)
                {
                    Thread.SpinWait(100);
                }

                ended.SetResult();
            },
            null);
        await begun.Task;
        do
        {
            long start = Stopwatch.GetTimestamp();
            TaskCompletionSource ran = new(TaskCreationOptions.RunContinuationsAsynchronously);
            other.Post(static source => ((TaskCompletionSource)source!).SetResult(), ran);
            await ran.Task;
            waits.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
            await Task.Delay(20);
        }
        while (!ended.Task.IsCompleted);
        return waits;
    }

    private static void Print(string what, List<double> values, string unit)
    {
        values.Sort();
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{what}: median {values[values.Count / 2]:F2} {unit} ({values[0]:F2} to {values[^1]:F2})"));
    }
}

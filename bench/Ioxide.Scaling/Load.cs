using System.Diagnostics;
using System.Globalization;
using Ioxide.Compare.Loads;

namespace Ioxide.Scaling;

/// <summary>As many requests as the server answers: each connection sends its next one when the last one was answered.</summary>
internal static class Load
{
    internal static int Run(Arguments arguments)
    {
        int threadCount = arguments.Number("threads");
        int connectionCount = arguments.Number("connections");
        int port = arguments.Number("port");
        var duration = TimeSpan.FromSeconds(arguments.Number("seconds"));
        LoadThread[] threads = [.. Enumerable.Range(0, threadCount).Select(
            number => new LoadThread(port, (connectionCount / threadCount) + (number < connectionCount % threadCount ? 1 : 0)))];
        var server = new ServerClock(arguments.Number("pid"));
        double before = server.CpuSeconds();
        long started = Stopwatch.GetTimestamp();
        long end = started + (long)(duration.TotalSeconds * Stopwatch.Frequency);
        foreach (LoadThread thread in threads)
        {
            thread.Start(end);
        }

        var latencies = new LatencyHistogram();
        foreach (LoadThread thread in threads)
        {
            latencies.Add(thread.Join());
        }

        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        double cpu = server.CpuSeconds() - before;
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{latencies.Count / seconds:0} {latencies.Count / Math.Max(cpu, 0.01):0} {latencies.PercentileUs(0.99):0}"));
        return 0;
    }
}

using System.Globalization;
using System.Text.RegularExpressions;

namespace Ioxide.Compare.Loads;

/// <summary>h2load with one thread. Each connection asks for the paths in turn.</summary>
/// <remarks>
/// It prints only a mean; percentiles come from its log, which has a line per request and costs it half of its speed: it is written only where a rate
/// is kept. There too a request's time begins when it is sent, and not when it was due.
/// </remarks>
internal sealed partial class H2Load(IReadOnlyList<string> paths, int streamCount) : ILoad
{
    internal H2Load(string path, int streamCount)
        : this([path], streamCount)
    {
    }

    /// <summary>The body of a gRPC call; null for GET.</summary>
    internal GrpcMessage? Message { get; init; }

    /// <summary>Requests per second over all connections; null for as many as the server answers.</summary>
    internal double? Rate { get; init; }

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        string log = Path.GetTempFileName();
        string body = Path.GetTempFileName();
        try
        {
            await File.WriteAllBytesAsync(body, Message?.Framed ?? [], cancellation);
            return await RunAsync(target, duration, log, body, cancellation);
        }
        finally
        {
            File.Delete(log);
            File.Delete(body);
        }
    }

    private async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, string log, string body, CancellationToken cancellation)
    {
        string[] arguments =
        [
            "-t1", $"-c{target.ConnectionCount}", $"-m{streamCount}", $"-D{Math.Max(1, (int)duration.TotalSeconds)}",
            .. Rate is not double rate ? [] : (string[])
                [$"--log-file={log}", string.Create(CultureInfo.InvariantCulture, $"--rps={rate / target.ConnectionCount:0.##}")],
            .. Message is null ? [] : (string[])[$"--data={body}", "--header=content-type: application/grpc", "--header=te: trailers"],
            .. paths.Select(target.Url),
        ];
        CommandOutput output = await CommandRunner.RunAsync(
            "h2load", arguments, duration + LoadTarget.Grace, cancellation);
        Match finished = FinishedPattern().Match(output.Output);
        Match requests = RequestsPattern().Match(output.Output);
        Match statuses = StatusPattern().Match(output.Output);
        Match traffic = TrafficPattern().Match(output.Output);
        Match latency = LatencyPattern().Match(output.Output);
        if (!finished.Success || !requests.Success || !statuses.Success || !traffic.Success || !latency.Success)
        {
            throw new RefusedException($"h2load gave no result: {output.Error}{output.Output}");
        }

        if (Count(requests, 2) + Count(requests, 3) + Count(requests, 4) != 0
            || Count(statuses, 1) + Count(statuses, 2) + Count(statuses, 3) != 0)
        {
            throw new RefusedException($"h2load met errors: {requests.Value}; {statuses.Value}");
        }

        var result = new LoadResult(Count(requests, 1), Duration(finished.Groups[1].Value), Count(traffic, 1));
        return (Rate is null ? result : result.With(ReadLog(log))) with { MeanUs = Duration(latency.Groups[1].Value) * 1e6 };
    }

    /// <summary>Lines of start, status and microseconds until the answer's end.</summary>
    private static LatencyHistogram ReadLog(string path)
    {
        var latencies = new LatencyHistogram();
        foreach (string line in File.ReadLines(path))
        {
            if (int.TryParse(line.AsSpan(line.LastIndexOf('\t') + 1), CultureInfo.InvariantCulture, out int us))
            {
                latencies.Add(TimeSpan.FromMicroseconds(us));
            }
        }

        return latencies;
    }

    private static long Count(Match match, int group)
        => long.Parse(match.Groups[group].Value, CultureInfo.InvariantCulture);

    /// <summary>Reads h2load's durations, such as 1.02ms, into seconds.</summary>
    private static double Duration(string text)
    {
        (string unit, double factor) = text.EndsWith("us", StringComparison.Ordinal) ? ("us", 1e-6)
            : text.EndsWith("ms", StringComparison.Ordinal) ? ("ms", 1e-3)
            : ("s", 1.0);
        return double.Parse(text[..^unit.Length], CultureInfo.InvariantCulture) * factor;
    }

    [GeneratedRegex(@"finished in ([\d.]+(?:us|ms|s)),")]
    private static partial Regex FinishedPattern();

    [GeneratedRegex(@"requests: .* (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout")]
    private static partial Regex RequestsPattern();

    [GeneratedRegex(@"status codes: \d+ 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx")]
    private static partial Regex StatusPattern();

    [GeneratedRegex(@"traffic: .*?\((\d+)\) total")]
    private static partial Regex TrafficPattern();

    /// <summary>The columns are minimum, maximum, mean.</summary>
    [GeneratedRegex(@"time for request: +\S+ +\S+ +([\d.]+(?:us|ms|s))")]
    private static partial Regex LatencyPattern();
}

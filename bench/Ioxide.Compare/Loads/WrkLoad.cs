using System.Globalization;

namespace Ioxide.Compare.Loads;

/// <summary>wrk with one thread.</summary>
internal sealed class WrkLoad(string path) : ILoad
{
    private static readonly string[] s_errors = ["connect", "read", "write", "status", "timeout"];

    /// <summary>Requests a batch. Above 1 there are no latencies.</summary>
    internal int PipelineDepth { get; init; } = 1;

    /// <summary>One in so many requests closes its connection; 0 stands for none.</summary>
    internal int CloseEvery { get; init; }

    /// <summary>Lines that every request has, such as <c>Range: bytes=0-1</c>. Not for scripts that make requests themselves.</summary>
    internal IReadOnlyList<string> Headers { get; init; } = [];

    /// <summary>Another script of the folder, which makes the requests itself.</summary>
    internal string? Script { get; init; }

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        List<string> arguments =
        [
            "-t1", $"-c{target.ConnectionCount}", $"-d{Math.Max(1, (int)duration.TotalSeconds)}", "--timeout", "10s",
            "-s", Script is null ? target.Layout.LoadScript : Path.Combine(Path.GetDirectoryName(target.Layout.LoadScript)!, Script),
        ];
        if (CloseEvery == 1)
        {
            arguments.AddRange(["-H", "Connection: close"]);
        }

        arguments.AddRange(Headers.SelectMany(static header => new[] { "-H", header }));
        arguments.AddRange([target.Url(path), "--", Text(PipelineDepth), Text(CloseEvery)]);
        CommandOutput output = await CommandRunner.RunAsync(
            "wrk", arguments, duration + LoadTarget.Grace, cancellation);
        string line = output.Output.Split('\n').FirstOrDefault(
            static line => line.StartsWith("RESULT ", StringComparison.Ordinal))
            ?? throw new RefusedException($"wrk gave no result: {output.Error}{output.Output}");

        Dictionary<string, double> values = line.Split(' ').Skip(1).Select(static pair => pair.Split('=')).ToDictionary(
            static pair => pair[0], static pair => double.Parse(pair[1], CultureInfo.InvariantCulture));
        if (s_errors.Any(error => values[error] != 0))
        {
            throw new RefusedException($"wrk met errors: {line}");
        }

        var result = new LoadResult((long)values["requests"], values["duration"] / 1e6, (long)values["bytes"]);
        if (PipelineDepth > 1)
        {
            // wrk fills its latencies up for requests that it had no time to send, and takes a batch for one request.
            return result;
        }

        return result with
        {
            P50Us = values["p50"],
            P90Us = values["p90"],
            P99Us = values["p99"],
            P999Us = values["p999"],
            MeanUs = values["mean"],
        };
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}

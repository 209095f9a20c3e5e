using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

namespace Ioxide.Files.Tests;

/// <summary>Makes applications by seed, asks every port of each the same requests and compares the answers with those of stock Kestrel.</summary>
internal sealed class ApplicationRun
{
    /// <summary>Says which applications: the first seed and how many, such as <c>1:10000</c>.</summary>
    internal const string Variable = "IOXIDE_APPLICATIONS";

    private const int MaxBatch = 8;

    private static readonly int s_defaultCount = Scale.Of(200);

    private readonly ConcurrentBag<ApplicationDifference> _differences = [];
    private readonly ConcurrentDictionary<ulong, bool> _differing = [];
    private readonly long _started = Stopwatch.GetTimestamp();
    private int _requestCount;

    private ApplicationRun(ulong firstSeed, int count) => (FirstSeed, Count) = (firstSeed, count);

    internal ulong FirstSeed { get; }

    internal int Count { get; }

    internal FeatureCounts Features { get; } = new();

    /// <summary>All that were found, by seed.</summary>
    internal IReadOnlyList<ApplicationDifference> Differences
        => [.. _differences.OrderBy(static difference => difference.Application.Seed).ThenBy(static difference => difference.Number)];

    /// <summary>How often which kind of answer became which other.</summary>
    internal IEnumerable<string> Kinds => _differences.GroupBy(static difference => difference.Kind).OrderByDescending(static kind => kind.Count())
        .Select(static kind => $"{kind.Count(),7} {kind.Key}, as in application {kind.Min(static difference => difference.Application.Seed)}");

    /// <summary>Applications with a difference.</summary>
    internal int DifferingCount => _differing.Count;

    /// <summary>The applications that the environment names, or as many as a run of the tests has time for.</summary>
    internal static Task<ApplicationRun> OfEnvironmentAsync()
    {
        string[]? parts = Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } asked ? asked.Split(':') : null;
        return parts is null
            ? OfAsync(1, s_defaultCount)
            : OfAsync(ulong.Parse(parts[0], CultureInfo.InvariantCulture), int.Parse(parts[1], CultureInfo.InvariantCulture));
    }

    internal static async Task<ApplicationRun> OfAsync(ulong firstSeed, int count)
    {
        var run = new ApplicationRun(firstSeed, count);
        using var folders = new ApplicationFolders();
        await Parallel.ForAsync(0, count, new ParallelOptions { MaxDegreeOfParallelism = Environment.ProcessorCount }, async (number, _) =>
        {
            GeneratedApplication application = GeneratedApplication.Of(firstSeed + (ulong)number);
            try
            {
                await run.RunAsync(application, folders);
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"Application {application.Seed} could not be asked:\n  {application}", exception);
            }
        });

        // The memory of snapshots is counted for the process and goes with the collector: none is left to the tests that follow.
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return run;
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Count:N0} applications from seed {FirstSeed}, {_requestCount:N0} requests in {Stopwatch.GetElapsedTime(_started).TotalSeconds:0.0} s, "
        + $"{DifferingCount:N0} applications with {_differences.Count:N0} differences");

    private async Task RunAsync(GeneratedApplication application, ApplicationFolders folders)
    {
        foreach (string feature in application.Features)
        {
            Features.Generated(feature);
        }

        await using ApplicationHost host = await ApplicationHost.StartAsync(application, folders);
        ApplicationPort[] ports = Enum.GetValues<ApplicationPort>();
        ApplicationClient[] clients = [.. ports.Select(port => new ApplicationClient(host.EndPointOf(port)))];
        Dictionary<string, string> tags = [];
        bool isLate = false;
        int size = 1;
        for (int done = 0; done < application.Requests.Count; done += size)
        {
            if (!isLate && done >= application.Requests.Count / 2)
            {
                isLate = true;
                host.AddLateEndpoints();
            }

            size = SizeOfBatch(application, done);
            ApplicationRequest[] requests = [.. application.Requests.Skip(done).Take(size)];
            string[] texts = [.. requests.Select(request => request.Text.Replace(
                ApplicationRequest.TagPlaceholder, tags.GetValueOrDefault(request.Path, "\"none\""), StringComparison.Ordinal))];
            ApplicationAnswer[][] answers = await Task.WhenAll(clients.Select(client => client.AskAsync(requests, texts)));
            for (int index = 0; index < size; index++)
            {
                var byPort = ports.Zip(answers, (port, answersOfPort) => (port, answersOfPort[index])).ToDictionary();
                Compare(application, done + index, requests[index], texts[index], byPort);
                if (byPort[ApplicationPort.Stock].Tag is { } tag)
                {
                    tags[requests[index].Path] = tag;
                }
            }
        }

        Array.ForEach(clients, static client => client.Dispose());
    }

    /// <summary>From 1 to <see cref="MaxBatch"/> requests that are sent at once; what may end the connection is the last.</summary>
    private static int SizeOfBatch(GeneratedApplication application, int done)
    {
        int most = Math.Min(1 + ((done * 5) % MaxBatch), application.Requests.Count - done);
        int size = 1;
        while (size < most && !application.Requests[done + size - 1].IsLast)
        {
            size++;
        }

        return size;
    }

    private void Compare(
        GeneratedApplication application, int number, ApplicationRequest request, string text, Dictionary<ApplicationPort, ApplicationAnswer> answers)
    {
        Interlocked.Increment(ref _requestCount);
        ApplicationAnswer stock = answers[ApplicationPort.Stock];
        Features.Decided(stock.Decided, request.IsOfFile);
        ApplicationAnswer ring = answers[ApplicationPort.Ring];
        if (!stock.IsLike(ring))
        {
            _differing[application.Seed] = true;
            _differences.Add(new ApplicationDifference(application, number, text, stock, ring));
        }
    }
}

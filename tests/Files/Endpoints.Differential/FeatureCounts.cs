using System.Collections.Concurrent;

namespace Ioxide.Files.Tests;

/// <summary>How often each feature was generated and how often it decided an answer. Threads: any.</summary>
/// <remarks>A feature that decides nothing is one whose faults this oracle cannot see.</remarks>
internal sealed class FeatureCounts
{
    /// <summary>So often a feature must be generated until it is strange that it decides nothing.</summary>
    private const int Enough = 20;

    private readonly ConcurrentDictionary<string, (int Generated, int Decided, int OverFile)> _counts = [];

    /// <summary>What was generated often and has decided nothing.</summary>
    internal IEnumerable<string> Idle => _counts.Where(static count => count.Value is { Decided: 0, Generated: >= Enough })
        .Select(static count => count.Key).Order();

    internal void Generated(string feature) => Add(feature, generated: 1, decided: 0, overFile: 0);

    /// <summary>Counts the features of an answer.</summary>
    /// <param name="features">As <see cref="ApplicationAnswer.Decided"/> has them.</param>
    /// <param name="isOfFile">Whether the request aimed at a file.</param>
    internal void Decided(string? features, bool isOfFile)
    {
        foreach (string feature in features?.Split("; ") ?? [])
        {
            Add(feature, generated: 0, decided: 1, overFile: isOfFile ? 1 : 0);
        }
    }

    public override string ToString() => string.Join('\n', _counts.OrderBy(static count => count.Key, StringComparer.Ordinal).Select(static count
        => $"{count.Value.Generated,7} generated {count.Value.Decided,7} decided {count.Value.OverFile,7} of a file's path  {count.Key}"));

    private void Add(string feature, int generated, int decided, int overFile) => _counts.AddOrUpdate(
        feature, (generated, decided, overFile),
        (_, count) => (count.Generated + generated, count.Decided + decided, count.OverFile + overFile));
}

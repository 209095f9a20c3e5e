using System.Globalization;
using System.Text;

namespace Ioxide;

/// <summary>The dump: every reactor and what it holds.</summary>
public sealed partial class ReactorGroup
{
    /// <summary>The most lines of a dump about connections and operations, shared evenly by the reactors.</summary>
    internal const int MaxDescribed = 1024;

    private static readonly TimeSpan s_describeLimit = TimeSpan.FromSeconds(1);

    /// <summary>Lines about every reactor, its connections, listeners and operations. Threads: any.</summary>
    /// <remarks>Each reactor describes its own part. Of one that does not turn within a second, only what other threads may read is told.</remarks>
    internal async Task<string> DescribeAsync()
    {
        Task<string>[] parts = [.. _reactors.Select(static reactor => reactor.DescribeAllAsync())];
        await Task.WhenAny(Task.WhenAll(parts), Kernel.DelayAsync(s_describeLimit)).ConfigureAwait(false);
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"process {Environment.ProcessId}, {DateTime.UtcNow:u}\n");
        for (int index = 0; index < parts.Length; index++)
        {
            text.Append(parts[index].IsCompletedSuccessfully
                ? await parts[index].ConfigureAwait(false)
                : $"{_reactors[index].Describe()}\n  it did not answer within {s_describeLimit.TotalSeconds} s: its connections are not listed\n");
        }

        return text.ToString();
    }
}

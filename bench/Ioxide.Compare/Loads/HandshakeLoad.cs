using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Ioxide.Compare.Loads;

/// <summary>Connections with one full TLS 1.3 handshake and one request each, by <c>openssl s_time</c>: a process for each connection at a time.</summary>
/// <remarks>wrk resumes nearly all sessions and cannot be told not to. s_time marks each handshake: <c>r</c> is one that was resumed.</remarks>
internal sealed partial class HandshakeLoad(string path) : ILoad
{
    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        string[] arguments =
        [
            "s_time", "-connect", $"127.0.0.1:{target.Ports.Https}", "-www", path, "-tls1_3", "-new", "-time",
            Math.Max(1, (int)duration.TotalSeconds).ToString(CultureInfo.InvariantCulture),
        ];
        long started = Stopwatch.GetTimestamp();
        CommandOutput[] outputs = await Task.WhenAll(Enumerable.Range(0, target.ConnectionCount).Select(
            _ => CommandRunner.RunAsync("openssl", arguments, duration + LoadTarget.Grace, cancellation)));
        double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
        long count = 0;
        long bytes = 0;
        foreach (CommandOutput output in outputs)
        {
            Match result = ResultPattern().Match(output.Output);
            if (output.ExitCode != 0 || !result.Success)
            {
                throw new RefusedException($"openssl s_time met an error: {output.Error}{output.Output}");
            }

            long own = Number(result, 1);
            if (output.Output.Count(static letter => letter == '*') != own)
            {
                throw new RefusedException($"not every one of {own} handshakes was a full one: {output.Output}");
            }

            if (own > 0 && Number(result, 2) == 0)
            {
                throw new RefusedException("the server answered nothing to handshakes that it had done");
            }

            count += own;
            bytes += own * Number(result, 2);
        }

        return new LoadResult(count, seconds, bytes);
    }

    private static long Number(Match match, int group) => long.Parse(match.Groups[group].Value, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"(\d+) connections in \d+ real seconds, (\d+) bytes read per connection")]
    private static partial Regex ResultPattern();
}

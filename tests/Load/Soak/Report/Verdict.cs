namespace Ioxide.Soak;

/// <summary>What a run showed, line by line, and whether that is good enough.</summary>
internal sealed class Verdict
{
    private const double Mebibyte = 1024 * 1024;
    private const double MaxSlope = 1; // Mebibytes in ten minutes.
    private static readonly TimeSpan s_longestWarmUp = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_shortestJudgedSlope = TimeSpan.FromMinutes(10);

    private readonly List<string> _lines = [];

    internal IReadOnlyList<string> Lines => _lines;

    internal bool HasPassed { get; private set; } = true;

    /// <summary>The first third, at most ten minutes: memory of peaks, compiled code and caches still grows.</summary>
    internal static TimeSpan WarmUp(TimeSpan duration) => duration / 3 < s_longestWarmUp ? duration / 3 : s_longestWarmUp;

    /// <summary>Must be 0.</summary>
    internal void RequireNone(string what, long count) => Add(count == 0, $"{what}: {count}");

    internal void Require(bool isGood, string text) => Add(isGood, text);

    internal void Tell(string text) => _lines.Add($"        {text}");

    /// <summary>Fits the looks at the resting server after the warm-up.</summary>
    /// <param name="samples">All samples.</param>
    /// <param name="duration">How long the run really was. Slopes of a short one are told and not judged.</param>
    internal void JudgeSlopes(IReadOnlyList<Sample> samples, TimeSpan duration)
    {
        TimeSpan warmUp = WarmUp(duration);
        Sample[] quiet = [.. samples.Where(sample => sample.IsQuiet && sample.Seconds > warmUp.TotalSeconds)];
        bool isJudged = duration - warmUp >= s_shortestJudgedSlope && quiet.Length >= 3;
        string judged = isJudged ? "" : "; too short to judge";
        string after = $"after minute {warmUp.TotalMinutes:F1}{judged}";
        Tell($"slopes in ten minutes, of {quiet.Length} looks at the resting server {after}");

        // RSS has three parts that grow by steps, late ones too, and are no leak: pages of files; regions that the collector keeps for
        // its next peak; and the reactors' pools, which keep the memory of their busiest moment. A leak grows in one of the others.
        LinearFit native = Fit(quiet, sample => (sample.ResidentBytes - sample.FileBytes - sample.Stats.CommittedBytes) / Mebibyte);
        Judge(isJudged, native.Slope <= MaxSlope, "memory outside the managed heap", native, "MiB");
        LinearFit alive = Fit(quiet, sample => (sample.Stats.ManagedBytes - sample.Stats.PooledBytes) / Mebibyte);
        Judge(isJudged, alive.Slope <= MaxSlope, "live managed memory without pools", alive, "MiB");
        TellSlope("RSS", sample => sample.ResidentBytes);
        TellSlope("pages of files", sample => sample.FileBytes);
        TellSlope("the collector's memory", sample => sample.Stats.CommittedBytes);
        TellSlope("the reactors' pools", sample => sample.Stats.PooledBytes);
        LinearFit descriptors = Fit(quiet, sample => sample.Descriptors);
        Judge(isJudged, descriptors.Slope == 0, "descriptors", descriptors, "");

        void TellSlope(string what, Func<Sample, double> bytes)
            => Judge(isJudged: false, isGood: true, what, Fit(quiet, sample => bytes(sample) / Mebibyte), "MiB");
    }

    private static LinearFit Fit(Sample[] quiet, Func<Sample, double> value)
        => LinearFit.Of([.. quiet.Select(sample => (sample.Minutes / 10, value(sample)))]);

    private void Judge(bool isJudged, bool isGood, string what, LinearFit fit, string unit)
    {
        string text = $"slope of {what}: {fit.Slope:+0.000;-0.000;0} {unit} (standard error {fit.SlopeError:F3})";
        if (isJudged)
        {
            Add(isGood, text);
        }
        else
        {
            Tell(text);
        }
    }

    private void Add(bool isGood, string text)
    {
        HasPassed &= isGood;
        _lines.Add($"{(isGood ? "ok    " : "FAILED")}  {text}");
    }
}

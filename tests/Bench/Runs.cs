using Ioxide.Report;

namespace Ioxide.Bench.Tests;

/// <summary>Makes runs of invented numbers.</summary>
internal static class Runs
{
    private static readonly MachineRecord s_machine = new("A CPU", 2, 25.3, "Linux 6.18", ".NET 10.0");

    internal static RunRecord Of(TargetRecord? target, params SideRecord[] sides) => new(
        "json", "50 items", new DateTimeOffset(2026, 11, 21, 20, 0, 0, TimeSpan.Zero), s_machine, "abc1234", "--rounds 3", 64, 2, "0", "1", target,
        [.. sides]);

    /// <summary>A round a value.</summary>
    internal static SideRecord Stock(params double[] values) => Side("stock", SideKind.Stock, Metric.RequestsPerCpuSecond, values);

    /// <inheritdoc cref="Stock"/>
    internal static SideRecord Ioxide(params double[] values) => Side("ioxide", SideKind.Ours, Metric.RequestsPerCpuSecond, values);

    internal static SideRecord Side(string name, SideKind kind, Metric metric, params double[] values) => new(
        name, kind, [.. values.Select((value, index) => Round(index + 1, metric, value))]);

    internal static RoundRecord Round(int number, Metric metric, double? value)
        => new(number, new Dictionary<string, double?> { [metric.Key] = value });

    internal static TargetRecord AtLeast(double ratio) => new(Metric.RequestsPerCpuSecond.Key, ratio);

    internal static RunRecord At(this RunRecord run, int hour, int connections)
        => run with { Started = run.Started.AddHours(hour), Connections = connections };
}

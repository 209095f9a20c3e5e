using System.Text.Json.Serialization;

namespace Ioxide.PgBench.Turns;

/// <summary>What one turn of one side used.</summary>
/// <param name="Side">Who asked.</param>
/// <param name="Workload">What was asked.</param>
/// <param name="Queries">Statements that were answered; a batch of 20 is 20.</param>
/// <param name="Seconds">How long it took.</param>
/// <param name="CpuSeconds">User and system time of the whole client process.</param>
/// <param name="CpuUs">The same a query, in microseconds.</param>
/// <param name="PerSecond">Queries a second.</param>
/// <param name="AllocatedBytes">Bytes of the managed heap a query.</param>
/// <param name="ServerCpuUs">CPU time of the server's processes a query, in microseconds; null where it is not known.</param>
/// <param name="P50Us">Median time of a call (a whole batch), in microseconds.</param>
/// <param name="P99Us">The same, 99th percentile.</param>
/// <param name="Gen0">Garbage collections of generation 0 and above.</param>
internal sealed record TurnResult(
    string Side,
    string Workload,
    long Queries,
    double Seconds,
    double CpuSeconds,
    double CpuUs,
    double PerSecond,
    double? AllocatedBytes,
    double? ServerCpuUs,
    double? P50Us,
    double? P99Us,
    int Gen0);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(TurnResult))]
internal sealed partial class TurnJson : JsonSerializerContext;

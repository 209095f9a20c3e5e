using System.Text.Json;
using Ioxide.PgBench;
using Ioxide.PgBench.Comparing;
using Ioxide.PgBench.Sides;
using Ioxide.PgBench.Turns;

const int refused = 3;

BenchOptions options;
List<BenchWorkload> workloads;
try
{
    options = BenchOptions.Parse(args);
    workloads = options.Workloads is ["all"] ? [.. BenchWorkload.All] : [.. options.Workloads.Select(BenchWorkload.Find)];
}
catch (ArgumentException exception)
{
    Console.Error.WriteLine(exception.Message);
    Console.Error.WriteLine(BenchOptions.Usage);
    return 2;
}

if (options.List)
{
    foreach (BenchWorkload workload in BenchWorkload.All)
    {
        Console.WriteLine($"{workload.Name,-16}{workload.Title}; {string.Join(' ', workload.Sides)}");
    }

    return 0;
}

try
{
    if (options.Compare)
    {
        await Comparison.RunAsync(options, workloads).ConfigureAwait(false);
        return 0;
    }

    await using BenchSide side = BenchSide.Create(options.Sides[0], workloads[0], options);
    await side.OpenAsync().ConfigureAwait(false);
    var runner = new TurnRunner(side, options);
    await runner.WarmUpAsync().ConfigureAwait(false);
    if (!options.Turns)
    {
        Console.WriteLine(JsonSerializer.Serialize(await runner.MeasureAsync().ConfigureAwait(false), TurnJson.Default.TurnResult));
        return 0;
    }

    Console.WriteLine("ready");
    while (Console.ReadLine() is not null)
    {
        Console.WriteLine(JsonSerializer.Serialize(await runner.MeasureAsync().ConfigureAwait(false), TurnJson.Default.TurnResult));
    }

    return 0;
}
catch (Exception exception) when (exception is WrongAnswerException or NotSupportedException)
{
    Console.Error.WriteLine($"refused: {exception.Message}");
    return refused;
}

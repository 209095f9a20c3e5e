using System.Net.Sockets;
using System.Runtime.InteropServices;
using Ioxide.Compare;
using Ioxide.Compare.Measures;

const int refused = 3;
const int stopped = 130;

CompareOptions options;
Workload workload;
List<Side> sides;
try
{
    options = CompareOptions.Parse(args);
    if (options.List)
    {
        foreach (Workload known in WorkloadCatalog.All)
        {
            Console.WriteLine($"{known.Name,-14}{known.Summary}");
            string names = string.Join(' ', known.Sides.Select(static side => side.Name));
            Console.WriteLine($"{"",-14}  {known.ConnectionCount:N0} connections; {names}");
        }

        return 0;
    }

    workload = WorkloadCatalog.Find(options.Workload);
    if (workload.NeedsDatabase && options.Database is null)
    {
        throw new ArgumentException($"'{workload.Name}' needs --database; bench/pg.sh --endpoints {workload.Name} gives one.");
    }

    sides = options.Sides.Count == 0
        ? [.. workload.Sides]
        : [.. options.Sides.Select(side => SideCatalog.Parse(side, workload.Sides))];
}
catch (ArgumentException exception)
{
    Console.Error.WriteLine(exception.Message);
    Console.Error.WriteLine(CompareOptions.Usage);
    return 2;
}

// The servers are children that outlive this process unless it ends in order.
using var stop = new CancellationTokenSource();
using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);

if (workload.NeedsFiles)
{
    FileSet.Create(new Layout(options.Root, options.Artifacts).FilesFolder);
}

var log = new RoundLog(Path.Combine(options.Artifacts, "bench", $"{workload.Name}.jsonl"));
var session = new Session(options, workload, sides, log);
IMeasure measure = workload.Kind switch
{
    WorkloadKind.Idle => new IdleMeasure(session),
    WorkloadKind.Startup => new StartupMeasure(session),
    _ => new LoadMeasure(session, workload.Load!),
};
try
{
    IReadOnlyList<Round> rounds = await measure.RunAsync(stop.Token);
    Report.Print(Console.Out, session, rounds);
    if (options.Markdown)
    {
        MarkdownReport.Print(Console.Out, session, rounds);
    }

    return 0;
}
catch (Exception exception) when (exception is RefusedException or SocketException)
{
    log.Refuse(exception.Message);
    Console.Error.WriteLine($"refused: {exception.Message}");
    return refused;
}
catch (OperationCanceledException) when (stop.IsCancellationRequested)
{
    log.Refuse("stopped");
    return stopped;
}

void Stop(PosixSignalContext context)
{
    context.Cancel = true;
    stop.Cancel();
}

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
            string rate = known.RatePerCpu is double share ? $", {share:N0} requests per second for each CPU of the server" : "";
            Console.WriteLine($"{"",-14}  {known.ConnectionCount:N0} connections{rate}; {names}");
        }

        return 0;
    }

    if (options.ListRun)
    {
        foreach (Workload known in WorkloadCatalog.All.Where(static workload => workload.RunSides.Count > 0))
        {
            Console.WriteLine($"{known.Name}{(known.NeedsDatabase ? " database" : "")}");
        }

        return 0;
    }

    workload = WorkloadCatalog.Find(options.Workload);
    if (workload.NeedsDatabase && options.Database is null)
    {
        throw new ArgumentException($"'{workload.Name}' needs --database; bench/pg.sh --endpoints {workload.Name} gives one.");
    }

    if (options.Rate > 0 && workload.AtRate is null)
    {
        throw new ArgumentException($"'{workload.Name}' keeps to no rate.");
    }

    if (options.JitSeconds > 0 && workload.NeedsUpstream)
    {
        throw new ArgumentException($"'{workload.Name}' needs another server; --jit takes a workload without one.");
    }

    sides = ChooseSides(options, workload);
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

RunRecord run = await RunRecords.CreateAsync(options, workload, sides, stop.Token);
string path = options.Json ?? Path.Combine(options.Artifacts, "bench", RunRecords.FileName(run));
var session = new Session(options, workload, sides, run, path);
foreach (string missing in options.Run ? workload.RunSides.Except(sides.Select(static side => side.Name)) : [])
{
    session.Warn($"{missing} is left out: its program is not here");
}

IMeasure measure = workload.Kind switch
{
    _ when options.JitSeconds > 0 => new JitMeasure(session, Console.Out),
    WorkloadKind.Idle => new IdleMeasure(session),
    WorkloadKind.Startup => new StartupMeasure(session),
    _ when options.FirstSeconds > 0 => new FirstSecondsMeasure(session, workload.Load!),
    _ => new LoadMeasure(session, workload.Load!),
};
try
{
    await measure.RunAsync(stop.Token);
}
catch (Exception exception) when (exception is RefusedException or SocketException)
{
    run.Refused = exception.Message;
}
catch (OperationCanceledException) when (stop.IsCancellationRequested)
{
    run.Refused = "stopped";
}

if (options.JitSeconds == 0)
{
    session.Save();
    TerminalReport.Print(Console.Out, session);
    if (options.Markdown)
    {
        MarkdownTable.Print(Console.Out, run);
    }

    Session.Note($"written to {path}");
}

if (run.Refused is not null)
{
    Console.Error.WriteLine($"refused: {run.Refused}");
    return stop.IsCancellationRequested ? stopped : refused;
}

return run.Sides.Any(static side => side.HasRefusedRounds) ? refused : 0;

static List<Side> ChooseSides(CompareOptions options, Workload workload)
{
    if (options.Sides.Count > 0)
    {
        return [.. options.Sides.Select(side => SideCatalog.Parse(side, workload.Sides))];
    }

    var layout = new Layout(options.Root, options.Artifacts);
    return options.Run
        ? [.. workload.RunSides.Select(name => SideCatalog.Parse(name, workload.Sides)).Where(side => side.IsThere(layout))]
        : [.. workload.Sides];
}

void Stop(PosixSignalContext context)
{
    context.Cancel = true;
    stop.Cancel();
}

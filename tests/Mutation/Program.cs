using System.Collections.Concurrent;
using System.Diagnostics;
using Ioxide.Do;
using Ioxide.Mutation;

const string Usage = """
    usage: eng/mutation.sh [PROJECT...] [--only NUMBER[-NUMBER]] [--again | --fresh] [--as-built] [--jobs 1|2] [--limit SECONDS] [--list]
    Plants the faults of the catalogue in a copy of the repository and runs the tests, or the seeds of the simulation, that must notice them.
      PROJECT     only the faults in these projects, as Ioxide.Tls
      --only      only the fault with this number, or those from one to another; they are run whatever is known of them
      --again     survivors of the run before are run again
      --fresh     everything is run again
      --as-built  the copy is not brought up to date: what changed since it was built does not count
      --jobs      how many faults are run at a time; 2 by default
      --limit     how long a test class may run before it counts as one that hangs; 100 by default, more where others use the machine
      --list      prints the numbers and names and runs nothing
    """;
TimeSpan classLimit = TimeSpan.FromSeconds(100);

var projects = new HashSet<string>(StringComparer.Ordinal);
(int First, int Last)? only = null;
int jobs = 2;
bool isAgain = false, isFresh = false, isAsBuilt = false, isList = false;
for (int index = 0; index < args.Length; index++)
{
    switch (args[index])
    {
        case "--only" when index + 1 < args.Length && RangeOf(args[index + 1]) is { } range:
            only = range;
            index++;
            break;
        case "--jobs" when index + 1 < args.Length && int.TryParse(args[index + 1], out jobs) && jobs is 1 or 2:
            index++;
            break;
        case "--limit" when index + 1 < args.Length && int.TryParse(args[index + 1], out int seconds) && seconds > 0:
            classLimit = TimeSpan.FromSeconds(seconds);
            index++;
            break;
        case "--again":
            isAgain = true;
            break;
        case "--fresh":
            isFresh = true;
            break;
        case "--as-built":
            isAsBuilt = true;
            break;
        case "--list":
            isList = true;
            break;
        case string project when FaultCatalog.All.Any(fault => fault.Project == project):
            projects.Add(project);
            break;
        default:
            Console.Error.WriteLine(Usage);
            return 2;
    }
}

Fault[] all = FaultCatalog.All;
(Fault Fault, int Number)[] chosen =
[
    .. all.Select(static (fault, index) => (Fault: fault, Number: index + 1))
        .Where(each => (only is not { } range || (each.Number >= range.First && each.Number <= range.Last)) && (projects.Count == 0 || projects.Contains(each.Fault.Project))),
];
if (isList)
{
    foreach ((Fault fault, int number) in chosen)
    {
        Console.WriteLine($"{number,4} {fault.Project}: {fault.Name}");
    }

    return 0;
}

string root = Repository.FindRoot();
List<string> problems = CatalogCheck.FindProblems(root);
if (problems.Count > 0)
{
    problems.ForEach(Console.Error.WriteLine);
    return 1;
}

string folder = Path.Combine(root, "artifacts", "mutation");
Directory.CreateDirectory(folder);
var results = new Results(folder, isFresh);
(Fault Fault, int Number)[] open =
    [.. chosen.Where(each => only is not null || !results.Has(each.Fault) || (isAgain && results.NoticedBy(each.Fault) is null))];
Console.WriteLine($"{chosen.Length} faults, {chosen.Length - open.Length} of them known from the run before");
if (open.Length > 0)
{
    var copy = new FaultyCopy(root, Path.Combine(folder, "tree"), results.ForgetSound);
    long started = Stopwatch.GetTimestamp();
    if (!isAsBuilt && Array.Exists(open, static each => !each.Fault.IsSimulated))
    {
        copy.Make(FaultCatalog.Tested);
    }

    using SimulatedCopy? simulated = Array.Exists(open, static each => each.Fault.IsSimulated) ? SimulatedCopy.Make() : null;
    Console.WriteLine($"built in {Stopwatch.GetElapsedTime(started).TotalSeconds:0} s");
    string[] classes = [.. open.SelectMany(static each => each.Fault.ClassNames).Distinct()];
    string? unsound = Baseline.OfClasses(copy, classes, results, classLimit, jobs)
        ?? (simulated is null ? null : Baseline.OfSimulation(simulated));
    if (unsound is not null)
    {
        Console.Error.WriteLine(unsound);
        return 1;
    }

    // A run that is cut short says something of each project.
    open = [.. open.GroupBy(static each => each.Fault.Project).SelectMany(static group => group.Index()).OrderBy(static each => each.Index).Select(static each => each.Item)];

    // Classes in the order in which the catalogue has them: the first is the one that most likely notices.
    Parallel.ForEach(Partitioner.Create(open, EnumerablePartitionerOptions.NoBuffering), new ParallelOptions { MaxDegreeOfParallelism = jobs }, each =>
    {
        long begun = Stopwatch.GetTimestamp();
        string? noticedBy = each.Fault.IsSimulated ? simulated!.Run(each.Number) : null; // It is made where one is simulated.
        foreach (string name in each.Fault.ClassNames)
        {
            noticedBy ??= copy.RunTests(name, each.Number, classLimit);
        }

        results.Add(each.Fault, noticedBy);
        Console.WriteLine(
            $"{each.Number,4} {(noticedBy is null ? "SURVIVED" : "noticed ")} {each.Fault.Project}: {each.Fault.Name} "
            + $"({Stopwatch.GetElapsedTime(begun).TotalSeconds:0} s{(noticedBy is null ? "" : ", " + noticedBy[..Math.Min(noticedBy.Length, 200)])})");
    });
}

foreach (IGrouping<string, Fault> group in chosen.Select(static each => each.Fault).GroupBy(static fault => fault.Project))
{
    Console.WriteLine($"{group.Key}: {group.Count(fault => results.NoticedBy(fault) is not null)} of {group.Count()} noticed");
}

Fault[] survivors = [.. chosen.Select(static each => each.Fault).Where(fault => results.NoticedBy(fault) is null)];
foreach (Fault fault in survivors)
{
    Console.WriteLine($"survived: {fault.Project}: {fault.Name} ({fault.WhyUnnoticed ?? "no reason is given"})");
}

int noticed = chosen.Length - survivors.Length;
Console.WriteLine($"{noticed} of {chosen.Length} faults noticed ({100.0 * noticed / Math.Max(1, chosen.Length):0.0} %)");
if (chosen.Length == all.Length && Array.TrueForAll(all, results.Has))
{
    var figures = new FiguresFile(root);
    figures.Set("faults", all.Length);
    figures.Set("faultsNoticed", noticed);
    figures.Save();
}

return Array.Exists(survivors, static fault => fault.WhyUnnoticed is null) ? 1 : 0;

static (int First, int Last)? RangeOf(string text)
{
    string[] ends = text.Split('-');
    return ends.Length <= 2 && int.TryParse(ends[0], out int first) && int.TryParse(ends[^1], out int last) && first >= 1 && first <= last
        ? (first, last)
        : null;
}

using Ioxide.Report;

const string Usage = "report --results DIR --html FILE --markdown FILE --details FILE --images DIR --readme FILE";

var paths = new Dictionary<string, string?> { ["--results"] = null, ["--html"] = null, ["--markdown"] = null, ["--details"] = null, ["--images"] = null, ["--readme"] = null };
bool isKnown = args.Length % 2 == 0;
for (int index = 0; index + 1 < args.Length; index += 2)
{
    isKnown &= paths.ContainsKey(args[index]);
    paths[args[index]] = args[index + 1];
}

if (!isKnown || paths.ContainsValue(null))
{
    Console.Error.WriteLine(Usage);
    return 2;
}

try
{
    IReadOnlyList<WorkloadRuns> workloads = RunFolder.Read(paths["--results"]!);
    string markdown = paths["--markdown"]!;
    string document = File.Exists(markdown) ? File.ReadAllText(markdown) : "# Numbers of record\n";
    Directory.CreateDirectory(paths["--images"]!);
    File.WriteAllText(paths["--html"]!, HtmlPage.Render(workloads));
    File.WriteAllText(markdown, MarkdownReport.Into(document, MarkdownReport.Render(workloads)));
    File.WriteAllText(paths["--readme"]!, MarkdownReport.Into(File.ReadAllText(paths["--readme"]!), ReadmeTable.Render(workloads)));
    File.WriteAllText(paths["--details"]!, MarkdownReport.RenderDetails(workloads));
    File.WriteAllText(Path.Combine(paths["--images"]!, "results-light.svg"), ReadmeChart.Render(workloads, ReadmeChart.Light));
    File.WriteAllText(Path.Combine(paths["--images"]!, "results-dark.svg"), ReadmeChart.Render(workloads, ReadmeChart.Dark));
    Console.WriteLine($"{workloads.Count} workloads: {string.Join(", ", paths.Where(static path => path.Key != "--results").Select(static path => path.Value))}");
    return 0;
}
catch (InvalidDataException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

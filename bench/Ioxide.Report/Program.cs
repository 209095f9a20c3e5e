using Ioxide.Report;

const string Usage = "report --results DIR --html FILE --markdown FILE";

string? results = null;
string? html = null;
string? markdown = null;
for (int index = 0; index + 1 < args.Length; index += 2)
{
    switch (args[index])
    {
        case "--results": results = args[index + 1]; break;
        case "--html": html = args[index + 1]; break;
        case "--markdown": markdown = args[index + 1]; break;
        default: results = null; index = args.Length; break;
    }
}

if (results is null || html is null || markdown is null || args.Length % 2 != 0)
{
    Console.Error.WriteLine(Usage);
    return 2;
}

try
{
    IReadOnlyList<WorkloadRuns> workloads = RunFolder.Read(results);
    File.WriteAllText(html, HtmlPage.Render(workloads));
    string document = File.Exists(markdown) ? File.ReadAllText(markdown) : "# Numbers of record\n";
    File.WriteAllText(markdown, MarkdownReport.Into(document, MarkdownReport.Render(workloads)));
    Console.WriteLine($"{workloads.Count} workloads: {html}, {markdown}");
    return 0;
}
catch (InvalidDataException exception)
{
    Console.Error.WriteLine(exception.Message);
    return 1;
}

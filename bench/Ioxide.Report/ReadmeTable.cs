using System.Text;

namespace Ioxide.Report;

/// <summary>The table of README.md: a few workloads of those that <c>bench/RESULTS.md</c> has, with a column for the transport alone.</summary>
internal static class ReadmeTable
{
    /// <summary>What README calls each workload.</summary>
    private static readonly (string Workload, string Words)[] s_rows =
    [
        ("baseline", "small GET and POST"),
        ("echo-websocket", "WebSocket echo"),
        ("static", "static files, by `Ioxide.Files`"),
        ("async-db", "50 rows of PostgreSQL as JSON, by `Ioxide.Pg`"),
        ("h2-tls", "HTTP/2 over TLS, by `Ioxide.Http2` and `Ioxide.Tls`"),
        ("json-tls", "50 items as JSON over TLS, by `Ioxide.Tls`"),
        ("json", "50 items as JSON"),
    ];

    /// <summary>Rows of workloads that were not measured are left out.</summary>
    internal static string Render(IReadOnlyList<WorkloadRuns> workloads)
    {
        var text = new StringBuilder("| workload | stock | `UseIoxide()` alone | Ioxide | ratio |\n|---|---|---|---|---|\n");
        foreach ((string name, string words) in s_rows)
        {
            if (workloads.FirstOrDefault(workload => workload.Latest.Workload == name)?.Latest is { } run
                && TargetCheck.Of(run) is { Table: { Best: not null } table, Ours: { } ours } check)
            {
                string alone = table.Row("transport") is { } transport ? Texts.Range(table.Metric, transport.Spread)
                    : ours.Side.Name == TargetCheck.Whole ? "the same"
                    : "not measured";
                text.Append($"| {words} | {Texts.Stock(table)} | {alone} | {Texts.Range(table.Metric, ours.Spread)} | {Texts.Result(check)} |\n");
            }
        }

        return text.ToString();
    }
}

using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;

namespace Ioxide.Compare;

/// <summary>Appends one JSON object a line to the workload's file.</summary>
/// <remarks>The rounds of a run share its id. A run that was refused ends with a line that says so: its rounds do not
/// count.</remarks>
internal sealed class RoundLog(string path)
{
    private static readonly string s_kernel = File.ReadAllText("/proc/sys/kernel/osrelease").Trim();

    private readonly string _run = DateTimeOffset.UtcNow.ToString("yyyyMMddTHHmmssZ", CultureInfo.InvariantCulture);

    internal string Path { get; } = path;

    internal void Append(Session session, Round round) => Write(json =>
    {
        json.WriteString("workload", session.Workload.Name);
        json.WriteString("side", round.Side.Name);
        json.WriteNumber("round", round.Number);
        json.WriteNumber("connections", session.ConnectionCount);
        json.WriteNumber("seconds", session.Options.Seconds);
        json.WriteString("server_cpus", session.Options.ServerCpus.ToString());
        json.WriteString("kernel", s_kernel);
        json.WriteString("runtime", RuntimeInformation.FrameworkDescription);
        foreach (Metric metric in Metric.All)
        {
            if (round.Values.TryGetValue(metric, out double value))
            {
                json.WriteNumber(metric.Key, Math.Round(value, 3));
            }
        }
    });

    internal void Warn(string text) => Write(json => json.WriteString("warning", text));

    internal void Refuse(string reason) => Write(json => json.WriteString("refused", reason));

    private void Write(Action<Utf8JsonWriter> content)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer))
        {
            json.WriteStartObject();
            json.WriteString("run", _run);
            content(json);
            json.WriteEndObject();
        }

        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(Path)!);
        File.AppendAllText(Path, Encoding.UTF8.GetString(buffer.ToArray()) + "\n");
    }
}

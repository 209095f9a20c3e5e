using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Ioxide;

/// <summary>The lines of all checks, as text for a reader and as JSON for a program.</summary>
internal sealed class CheckReport
{
    private readonly List<CheckLine> _lines = [];

    /// <summary>False where anything is missing.</summary>
    internal bool IsGood => _lines.TrueForAll(static line => line.State != CheckState.Missing);

    internal void Add(IEnumerable<CheckLine> lines) => _lines.AddRange(lines);

    /// <summary>One line for each thing, its cost and remedy below it, and the counts at the end.</summary>
    internal string ToText()
    {
        const string Margin = "         ";
        int width = _lines.Max(static line => line.Name.Length);
        string below = Margin + new string(' ', width + 2);
        var text = new StringBuilder($"Ioxide {Version()} on {RuntimeInformation.FrameworkDescription}\n\n");
        foreach (CheckLine line in _lines)
        {
            text.Append(CultureInfo.InvariantCulture, $"{Word(line.State).PadRight(Margin.Length)}{line.Name.PadRight(width)}  {line.Found}\n");
            if (line.Cost is { } cost)
            {
                text.Append(CultureInfo.InvariantCulture, $"{below}cost: {cost}\n");
            }

            if (line.Remedy is { } remedy)
            {
                text.Append(CultureInfo.InvariantCulture, $"{below}remedy: {remedy}\n");
            }
        }

        text.Append(
            CultureInfo.InvariantCulture,
            $"\n{Count(CheckState.Ok)} ok, {Count(CheckState.Limited)} limited, {Count(CheckState.Missing)} missing\n");
        return text.ToString();
    }

    /// <summary>An object with <c>version</c>, <c>framework</c>, <c>good</c> and <c>lines</c>. What a line does not have is null.</summary>
    internal string ToJson()
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes, new JsonWriterOptions { Indented = true }))
        {
            json.WriteStartObject();
            json.WriteString("version", Version());
            json.WriteString("framework", RuntimeInformation.FrameworkDescription);
            json.WriteBoolean("good", IsGood);
            json.WriteStartArray("lines");
            foreach (CheckLine line in _lines)
            {
                json.WriteStartObject();
                json.WriteString("name", line.Name);
                json.WriteString("state", Word(line.State));
                json.WriteString("found", line.Found);
                json.WriteString("cost", line.Cost);
                json.WriteString("remedy", line.Remedy);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(bytes.ToArray()) + "\n";
    }

    private static string Word(CheckState state) => state.ToString().ToLowerInvariant();

    private static string Version() => typeof(CheckReport).Assembly.GetName().Version?.ToString(3) ?? "";

    private int Count(CheckState state) => _lines.Count(line => line.State == state);
}

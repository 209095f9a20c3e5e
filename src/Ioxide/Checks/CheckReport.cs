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

    /// <summary>Adds lines. What one check has found missing, another one does not report again.</summary>
    internal void Add(IEnumerable<CheckLine> lines)
    {
        foreach (CheckLine line in lines)
        {
            if (line.State != CheckState.Missing || !_lines.Exists(known => known.State == line.State && known.Found == line.Found))
            {
                _lines.Add(line);
            }
        }
    }

    /// <summary>One line for each thing, with its cost and remedy, and the counts at the end.</summary>
    internal string ToText()
    {
        const int StateWidth = 9;
        int width = _lines.Max(static line => line.Name.Length);
        var text = new StringBuilder($"Ioxide {Version()} on {RuntimeInformation.FrameworkDescription}\n\n");
        foreach (CheckLine line in _lines)
        {
            text.Append(
                CultureInfo.InvariantCulture, $"{Word(line.State).PadRight(StateWidth)}{line.Name.PadRight(width)}  {line.Found}{Rest(line)}\n");
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

    /// <summary>Cost and remedy as sentences; empty where there is neither.</summary>
    private static string Rest(CheckLine line)
    {
        string cost = line.Cost is { Length: > 0 } words ? $" {char.ToUpperInvariant(words[0])}{words[1..]}." : "";
        string remedy = line.Remedy is null ? "" : $" {line.Remedy}";
        return cost.Length + remedy.Length == 0 ? "" : $".{cost}{remedy}";
    }

    private static string Word(CheckState state) => state.ToString().ToLowerInvariant();

    private static string Version() => typeof(CheckReport).Assembly.GetName().Version?.ToString(3) ?? "";

    private int Count(CheckState state) => _lines.Count(line => line.State == state);
}

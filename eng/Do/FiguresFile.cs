using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ioxide.Do;

/// <summary>The counts of <c>docs/figures.json</c>, which README and docs/trust.md quote.</summary>
internal sealed class FiguresFile
{
    private static readonly JsonSerializerOptions s_indented = new() { WriteIndented = true };

    private readonly string _path;
    private readonly JsonObject _figures;

    internal FiguresFile(string root)
    {
        _path = Path.Combine(root, "docs", "figures.json");
        _figures = JsonNode.Parse(File.ReadAllText(_path))!.AsObject(); // It is an object.
    }

    internal IEnumerable<string> Names => _figures.Select(static figure => figure.Key);

    internal void Set(string name, long count) => _figures[name] = count;

    internal void Save() => File.WriteAllText(_path, _figures.ToJsonString(s_indented) + "\n");
}

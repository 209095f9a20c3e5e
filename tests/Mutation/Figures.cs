using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ioxide.Mutation;

/// <summary>What a run over the whole catalogue says in <c>docs/figures.json</c>, which the documents quote.</summary>
internal static class Figures
{
    private static readonly JsonSerializerOptions s_indented = new() { WriteIndented = true };

    internal static void Write(string root, int faults, int noticed)
    {
        string path = Path.Combine(root, "docs", "figures.json");
        JsonNode figures = JsonNode.Parse(File.ReadAllText(path))!; // It is an object.
        figures["faults"] = faults;
        figures["faultsNoticed"] = noticed;
        File.WriteAllText(path, figures.ToJsonString(s_indented) + "\n");
    }
}

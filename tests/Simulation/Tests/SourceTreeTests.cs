using Ioxide.Mutation;

namespace Ioxide.Simulation;

/// <summary>A fault is found by its member and its code: where the member stands and how it is wrapped is nothing to it.</summary>
public sealed class SourceTreeTests : IDisposable
{
    private const string Source = """
        namespace Some;

        internal sealed partial class Lamp(int watts)
        {
            private bool _isOn;

            internal string Name => field ??= $"lamp of {watts + 1} W";

            internal void Turn(bool on)
            {
                if (on && _isOn) // Twice is once.
                {
                    return;
                }

                _isOn = on;
            }

            private sealed class Bulb<T>
            {
                internal T[] Wires(T[] all) => all[1..];
                internal int Shift(int count) => count >> 1;
            }
        }
        """;

    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-tree-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("Lamp.Turn", "_isOn = on;", "if (!{active}) _isOn = on;")]
    [InlineData("Lamp.Turn", "if(on\n  &&  _isOn) { return; }", "if (on && _isOn && !{active}) return;")]
    [InlineData("Lamp.Name", "$\"lamp of {watts+1} W\"", "\"\"")]
    [InlineData("Lamp.Bulb.Wires", "all[1..]", "all[2..]")]
    [InlineData("Lamp.Bulb.Shift", "count >> 1", "count >> 2")]
    [InlineData("Lamp._isOn", "_isOn;", "_isOn = true;")]
    [InlineData("Lamp", "Lamp(int watts)", "Lamp(long watts)")]
    public void AFaultFitsWhereverItsMemberStands(string member, string code, string mutated)
    {
        // The members of the outer type move to a part of their own in another folder, and lines are wrapped elsewhere.
        string moved = Source
            .Replace("    internal void Turn", "}\n\ninternal sealed partial class Lamp\n{\n    internal void Turn", StringComparison.Ordinal)
            .Replace("on && _isOn", "on\n                    && _isOn", StringComparison.Ordinal)
            .Replace("count >> 1", "count\n    // Half.\n    >> 1", StringComparison.Ordinal);
        foreach ((string path, string content) in ((string, string)[])[("Lamp.cs", Source), ("Deeper/Lamp.Parts.cs", moved)])
        {
            SourceTree tree = Tree((path, content));
            tree.Plant("a fault", member, code, mutated, 7);
            (string changedPath, string changed) = Assert.Single(tree.Changed);
            Assert.Equal(path, changedPath);
            string planted = mutated.Replace("{active}", "(global::Ioxide.Mutants.Active == 7)", StringComparison.Ordinal);
            Assert.Contains(planted, changed, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("Lamp.Burn", "_isOn = on;", "no member Lamp.Burn; the code is in Lamp.Turn")]
    [InlineData("Bulb.Wires", "all[9..]", "no member Bulb.Wires; there is Lamp.Bulb.Wires; no member of")]
    [InlineData("Lamp.Name", "_isOn = on;", "Lamp.Name has not this code: '_isOn = on;'; the code is in Lamp.Turn")]
    [InlineData("Lamp.Turn", "_isOn", "Lamp.Turn has this code 2 times, and must have it once: '_isOn'")]
    public void AnErrorSaysWhereToLook(string member, string code, string expected)
    {
        Exception error = Assert.Throws<InvalidOperationException>(() => Tree(("Lamp.cs", Source)).Plant("a fault", member, code, "", 1));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.Contains("a fault", error.Message, StringComparison.Ordinal);
    }

    private SourceTree Tree((string Path, string Content) file)
    {
        string folder = Path.Combine(_folder, Path.GetRandomFileName());
        string path = Path.Combine(folder, file.Path);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllText(path, file.Content);
        return new SourceTree(folder);
    }
}

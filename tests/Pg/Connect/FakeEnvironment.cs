namespace Ioxide.Pg.Tests;

/// <summary>Variables and files of a test's own, so that those of the process are neither read nor set.</summary>
internal sealed class FakeEnvironment : SettingsEnvironment
{
    internal Dictionary<string, string> Variables { get; } = [];

    internal Dictionary<string, (string Text, UnixFileMode Mode)> Files { get; } = [];

    internal HashSet<string> Directories { get; } = [];

    internal override string UserName => "osuser";

    internal override string? Home => "/home/osuser";

    internal override string? Variable(string name) => Variables.GetValueOrDefault(name);

    internal override bool FileExists(string path) => Files.ContainsKey(path);

    internal override bool DirectoryExists(string path) => Directories.Contains(path);

    internal override (string Text, UnixFileMode Mode)? ReadFile(string path) => Files.TryGetValue(path, out var file) ? file : null;
}

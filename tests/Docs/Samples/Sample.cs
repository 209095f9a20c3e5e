namespace Ioxide.Docs.Tests;

/// <summary>The folders of <c>samples/</c>, and the program of each.</summary>
internal static class Sample
{
    private static readonly string s_root = Path.Combine(Repository.Root, "samples");

    internal static TheoryData<string> Names
        => [.. Directory.EnumerateDirectories(s_root).Select(static folder => Path.GetFileName(folder)).Order(StringComparer.Ordinal)];

    /// <summary>The folder's project, whose name is the folder's where no package has it.</summary>
    internal static string ProgramOf(string sample)
        => Path.GetFileNameWithoutExtension(Directory.GetFiles(Path.Combine(s_root, sample), "*.csproj").Single());
}

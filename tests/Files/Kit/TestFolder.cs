namespace Ioxide.Files.Tests;

/// <summary>A folder of its own for one test.</summary>
internal sealed class TestFolder : IDisposable
{
    /// <summary>The time that files have unless told otherwise: long ago, so that nothing is too fresh to be trusted.</summary>
    internal static readonly DateTime Modified = new(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc);

    internal string Path { get; } = Directory.CreateTempSubdirectory("ioxide-files-").FullName;

    internal string this[string relativePath] => System.IO.Path.Join(Path, relativePath);

    internal TestFolder With(string relativePath, byte[] content, DateTime? modified = null)
    {
        string path = this[relativePath];
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, content);
        File.SetLastWriteTimeUtc(path, modified ?? Modified);
        return this;
    }

    internal TestFolder With(string relativePath, string content) => With(relativePath, System.Text.Encoding.UTF8.GetBytes(content));

    /// <summary>Replaces a file as deployments do: whole, by a rename.</summary>
    internal void Replace(string relativePath, byte[] content)
    {
        string fresh = this[$"{relativePath}.{Guid.NewGuid():N}.tmp"];
        File.WriteAllBytes(fresh, content);
        File.Move(fresh, this[relativePath], overwrite: true);
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);
}

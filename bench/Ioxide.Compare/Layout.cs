namespace Ioxide.Compare;

/// <summary>Where programs and results lie.</summary>
internal sealed class Layout(string root, string artifacts)
{
    /// <summary>What a run leaves beside its result; it is there.</summary>
    internal string ResultsFolder { get; } = Directory.CreateDirectory(Path.Combine(artifacts, "bench")).FullName;

    internal string LoadScript { get; } = Path.Combine(root, "bench", "wrk", "load.lua");

    internal string NginxTemplate { get; } = Path.Combine(root, "bench", "peers", "nginx.conf.in");

    internal string NginxFilesTemplate { get; } = Path.Combine(root, "bench", "peers", "nginx-files.conf.in");

    /// <summary>Made by <see cref="FileSet"/>.</summary>
    internal string FilesFolder => Path.Combine(ResultsFolder, "files");

    internal string Liburing => Path.Combine(ResultsFolder, "raw_liburing");

    /// <summary>A .NET program's executable; in its own build folder unless another one is given.</summary>
    internal string Program(string name, string? folder)
        => Path.Combine(folder is null ? Path.Combine(artifacts, "bin", name, "release") : Path.Combine(ResultsFolder, folder), name);
}

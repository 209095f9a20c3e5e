namespace Ioxide.Mutation;

/// <summary>Where the sources are.</summary>
internal static class Repository
{
    /// <summary>The folder of Ioxide.sln above the running program.</summary>
    internal static string FindRoot()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Ioxide.sln")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder ?? throw new InvalidOperationException("This program does not run inside the repository.");
    }
}

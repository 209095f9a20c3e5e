namespace Ioxide.Files;

/// <summary>Walks a path as the kernel would, so that every folder in which a rename or a moved link would lead it elsewhere is known.</summary>
/// <remarks>Source: path_resolution(7).</remarks>
internal static class PathSteps
{
    // As many as the kernel follows.
    private const int MaxLinks = 40;

    /// <param name="path">From the file system's root.</param>
    /// <param name="step">
    /// Called for each name on the way with the folder that it is looked up in, before it is looked up. Where a name is a link,
    /// the names of its target follow.
    /// </param>
    internal static void Walk(string path, Action<string, string> step)
    {
        var names = new Stack<string>();
        Push(names, path);
        string folder = "/";
        int links = 0;
        while (names.TryPop(out string? name))
        {
            if (name == "..")
            {
                folder = Path.GetDirectoryName(folder) ?? "/";
                continue;
            }

            step(folder, name);
            string here = Path.Join(folder, name);
            if (TargetOf(here) is not { } target)
            {
                folder = here;
                continue;
            }

            if (++links > MaxLinks)
            {
                return;
            }

            folder = target.StartsWith('/') ? "/" : folder;
            Push(names, target);
        }
    }

    /// <summary>What a link says; null for what is no link, is not there, or must not be looked at.</summary>
    private static string? TargetOf(string path)
    {
        try
        {
            return new FileInfo(path).LinkTarget;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static void Push(Stack<string> names, string path)
    {
        string[] parts = path.Split('/');
        for (int index = parts.Length - 1; index >= 0; index--)
        {
            if (parts[index] is not ("" or "."))
            {
                names.Push(parts[index]);
            }
        }
    }
}

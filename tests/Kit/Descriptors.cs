namespace Ioxide.TestKit;

/// <summary>What a process has open.</summary>
internal static class Descriptors
{
    /// <summary>Each descriptor and what it is, such as <c>socket:[123]</c>.</summary>
    /// <param name="process">Its id, or <c>self</c>.</param>
    internal static Dictionary<string, string> Of(string process)
    {
        var open = new Dictionary<string, string>();
        foreach (string path in Directory.GetFileSystemEntries($"/proc/{process}/fd"))
        {
            try
            {
                if (new FileInfo(path).LinkTarget is { } target)
                {
                    open.Add(Path.GetFileName(path), target);
                }
            }
            catch (IOException)
            {
                // It was the listing's own descriptor, or closed since.
            }
        }

        return open;
    }

    /// <summary>Sockets, rings and wake-up counters. What .NET opens for itself is none of them.</summary>
    internal static bool IsOfReactors(string target)
        => target.StartsWith("socket:", StringComparison.Ordinal) || target is "anon_inode:[io_uring]" or "anon_inode:[eventfd]";
}

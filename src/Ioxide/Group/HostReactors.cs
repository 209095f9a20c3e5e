namespace Ioxide;

/// <summary>The groups that this process's hosts run, for code that finds its reactors without a container.</summary>
/// <remarks>Threads: any.</remarks>
internal static class HostReactors
{
    private static readonly Lock s_lock = new();
    private static ReactorGroup[] s_running = [];

    /// <summary>The group of the running host; null where none or more than one runs.</summary>
    internal static ReactorGroup? Only => Volatile.Read(ref s_running) is [{ } only] ? only : null;

    internal static void Add(ReactorGroup group)
    {
        lock (s_lock)
        {
            s_running = [.. s_running, group];
        }
    }

    internal static void Remove(ReactorGroup group)
    {
        lock (s_lock)
        {
            s_running = [.. s_running.Where(running => !ReferenceEquals(running, group))];
        }
    }
}

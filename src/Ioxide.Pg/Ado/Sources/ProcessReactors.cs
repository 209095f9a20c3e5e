using System.Runtime.Versioning;

namespace Ioxide.Pg.Data;

/// <summary>The reactors of connections that are created with only a connection string.</summary>
/// <remarks>Threads: any.</remarks>
internal static class ProcessReactors
{
    private static readonly Lock s_lock = new();
    private static ReactorGroup? s_own;

    /// <summary>Returns the caller's group; else that of the running host; else the process's own, created on first use.</summary>
    /// <exception cref="RingUnavailableException">The host refuses io_uring and epoll.</exception>
    internal static ReactorGroup Get()
    {
        if (Reactor.Current is { HasEnded: false } current)
        {
            return current.Group;
        }

        if (HostReactors.Only is { } host)
        {
            return host;
        }

        return OperatingSystem.IsLinux()
            ? Own()
            : throw new PlatformNotSupportedException("Ioxide.Pg runs on Linux. Use another driver elsewhere, such as Npgsql.");
    }

    /// <summary>Ends the process's own group, with the pools on it. The next use creates another.</summary>
    internal static async Task StopAsync()
    {
        ReactorGroup? own;
        lock (s_lock)
        {
            own = s_own;
            s_own = null;
        }

        if (own is not null)
        {
            await own.DisposeAsync().ConfigureAwait(false);
        }
    }

    [SupportedOSPlatform("linux")]
    private static ReactorGroup Own()
    {
        lock (s_lock)
        {
            return s_own ??= ReactorGroup.Start();
        }
    }
}

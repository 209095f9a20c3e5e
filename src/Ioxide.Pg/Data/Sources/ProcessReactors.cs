using System.Runtime.Versioning;

namespace Ioxide.Pg.Data;

/// <summary>The reactors of connections that come from a connection string alone.</summary>
/// <remarks>Threads: any.</remarks>
internal static class ProcessReactors
{
    private static readonly Lock s_lock = new();
    private static ReactorGroup? s_own;

    /// <summary>The caller's group; else that of the running host; else one that the process keeps until it ends, made on first use.</summary>
    /// <exception cref="RingUnavailableException">The host refuses rings.</exception>
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

    /// <summary>Ends the process's own group, with the pools on it. The next use makes another.</summary>
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

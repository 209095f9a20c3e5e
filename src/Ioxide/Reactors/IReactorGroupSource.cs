namespace Ioxide;

/// <summary>Gives the reactors of a host to what wants to live on them beside its server: a database driver, a client.</summary>
public interface IReactorGroupSource
{
    /// <summary>The running group; it is started where that has not happened yet. It belongs to the host.</summary>
    /// <remarks>Threads: any.</remarks>
    /// <exception cref="RingUnavailableException">The host refuses rings; it says why and what to do.</exception>
    ReactorGroup GetReactors();
}

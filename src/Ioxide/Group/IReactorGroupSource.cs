namespace Ioxide;

/// <summary>Gives a host's reactors to components that run on them beside its server, such as a database driver or a client.</summary>
public interface IReactorGroupSource
{
    /// <summary>The running group, started if necessary. The host owns it.</summary>
    /// <remarks>Threads: any.</remarks>
    /// <exception cref="RingUnavailableException">The host refuses reactors; the exception says why and what to do.</exception>
    ReactorGroup GetReactors();
}

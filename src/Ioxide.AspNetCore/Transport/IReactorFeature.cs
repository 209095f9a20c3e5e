namespace Ioxide.AspNetCore;

/// <summary>The reactor that serves a connection. A feature of the connection and of each of its requests.</summary>
public interface IReactorFeature
{
    /// <summary>The reactor.</summary>
    Reactor Reactor { get; }
}

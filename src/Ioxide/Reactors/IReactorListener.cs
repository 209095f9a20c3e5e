namespace Ioxide;

/// <summary>What a group of reactors needs from a listener. Threads: any.</summary>
internal interface IReactorListener
{
    /// <summary>Accepts on another thread for a reactor that is stuck.</summary>
    void AcceptFor(Reactor stuck);

    /// <summary>Stops accepting, and completes when the last connection was handed over.</summary>
    Task UnbindAsync();
}

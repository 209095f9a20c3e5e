namespace Ioxide.Simulation;

/// <summary>Around a script nothing happens by itself: clients act between the calls, or when told to.</summary>
internal sealed class QuietHost : KernelHost
{
    private SimulatedKernel? _kernel;
    private Action? _action;
    private long _atNs;

    internal List<string> Violations { get; } = [];

    /// <summary>Told of each connect that is submitted.</summary>
    internal Action<Operation>? OnConnect { get; set; }

    internal override long? NextEventNs => _action is null ? null : _atNs;

    /// <summary>Lets the action happen at that time.</summary>
    internal void HappenAt(SimulatedKernel kernel, long atNs, Action action)
    {
        _kernel = kernel;
        _atNs = atNs;
        _action = action;
    }

    internal override void RunDueEvents()
    {
        if (_action is { } action && _kernel!.NowNs >= _atNs)
        {
            _action = null;
            action();
        }
    }

    internal override void NothingWillHappen() => throw new ViolationException("a script waits without a limit");

    internal override void ConnectStarted(Operation operation, int port) => OnConnect?.Invoke(operation);

    internal override void Violated(string what) => Violations.Add(what);
}

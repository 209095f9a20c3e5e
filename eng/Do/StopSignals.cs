using System.Runtime.InteropServices;

namespace Ioxide.Do;

/// <summary>Interrupt and termination become a token: what runs is asked to end, and results are printed as far as there are any.</summary>
internal sealed class StopSignals : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly PosixSignalRegistration[] _signals;

    internal StopSignals()
    {
        _signals = [.. new[] { PosixSignal.SIGINT, PosixSignal.SIGTERM }.Select(signal => PosixSignalRegistration.Create(signal, context =>
        {
            context.Cancel = true;
            _stop.Cancel();
        }))];
    }

    internal CancellationToken Token => _stop.Token;

    public void Dispose()
    {
        foreach (PosixSignalRegistration signal in _signals)
        {
            signal.Dispose();
        }

        _stop.Dispose();
    }
}

using System.Runtime.InteropServices;

namespace Ioxide.Do;

/// <summary>
/// Interrupt, termination and the end of the terminal become a token: what runs is asked to end, and results are printed as far as there are any. A signal
/// that is ignored (nohup) stays ignored.
/// </summary>
internal sealed class StopSignals : IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly PosixSignalRegistration[] _signals;

    internal StopSignals()
    {
        PosixSignal[] signals = [PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGHUP];
        _signals = [.. signals.Select(signal => PosixSignalRegistration.Create(signal, Stop))];
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

    private void Stop(PosixSignalContext context)
    {
        context.Cancel = true;
        _stop.Cancel();
    }
}

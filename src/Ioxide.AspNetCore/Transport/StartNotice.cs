namespace Ioxide.AspNetCore;

/// <summary>Lets the log say what reactors run on where no endpoint was bound to them by the time the host has started.</summary>
internal sealed class StartNotice(ReactorFleet fleet) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken)
    {
        if (OperatingSystem.IsLinux())
        {
            fleet.NoteHostStarted();
        }

        return Task.CompletedTask;
    }

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}

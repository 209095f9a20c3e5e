using System.Net;
using Microsoft.Extensions.Configuration;

namespace Ioxide.LoadServer;

/// <summary>The runtime alone: what a connection costs here, Ioxide costs.</summary>
internal sealed class RawSite(IConfiguration configuration, int reactorCount) : Site(configuration)
{
    private RingListener[] _listeners = [];

    internal override ReactorGroup Group { get; } = ReactorGroup.Start(new ReactorOptions
    {
        ReactorCount = reactorCount,
        Events = new CountedEvents(),
        Kernel = configuration.GetValue<KernelChoice>("Ioxide:Kernel"),
    });

    /// <summary>Binds second listeners to the ports, then unbinds the first.</summary>
    internal override async Task RestartAsync()
    {
        RingListener[] before = _listeners;
        await ListenAsync();
        foreach (RingListener listener in before)
        {
            await listener.DisposeAsync();
        }
    }

    public override async ValueTask DisposeAsync()
    {
        using var limit = new CancellationTokenSource(ShutdownTimeout);
        await Group.StopAsync(limit.Token);
        await Group.DisposeAsync();
    }

    protected override async Task ListenAsync()
    {
        var options = new RingListenOptions { AllowPortSharing = true };
        _listeners = await Task.WhenAll(EndPoints.Select(endPoint => Group.ListenAsync(endPoint, RawHttp.ServeAsync, options)));
        EndPoints = [.. _listeners.Select(static listener => (IPEndPoint)listener.EndPoint)];
    }

    private sealed class CountedEvents : ReactorEvents
    {
        public override void UnhandledException(int reactorId, Exception exception) => ServerCommands.CountUnhandled(exception);

        public override void ReactorFaulted(int reactorId, Exception exception) => ServerCommands.CountUnhandled(exception);
    }
}

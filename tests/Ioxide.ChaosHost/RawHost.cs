using System.Net;
using System.Runtime.InteropServices;
using Ioxide.Chaos;
using Microsoft.Extensions.Configuration;

namespace Ioxide.ChaosHost;

/// <summary>The runtime alone: what a connection costs here, Ioxide costs.</summary>
internal static class RawHost
{
    internal static async Task RunAsync(IConfiguration configuration)
    {
        var stop = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using PosixSignalRegistration registration = PosixSignalRegistration.Create(PosixSignal.SIGTERM, context =>
        {
            context.Cancel = true;
            stop.TrySetResult();
        });
        await using ReactorGroup group = ReactorGroup.Start(
            new ReactorOptions { ReactorCount = configuration.GetValue<int>("Ioxide:ReactorCount") });
        foreach (IPEndPoint endPoint in HostAddresses.Read(configuration))
        {
            RingListener listener = await group.ListenAsync(endPoint, RawHttp.ServeAsync);
            Console.WriteLine($"listening {listener.EndPoint}");
        }

        Console.WriteLine("ready");
        await Task.WhenAny(stop.Task, HostInput.EndAsync());
        using var limit = new CancellationTokenSource(HostAddresses.ShutdownTimeout(configuration));
        await group.StopAsync(limit.Token);
    }
}

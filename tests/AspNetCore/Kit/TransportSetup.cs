using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Which transports the parity tests run over, and how a host is put on one of them.</summary>
internal static class TransportSetup
{
    internal const int ReactorCount = 2;

    /// <summary>Every transport that <see cref="OverTransportsAttribute"/> makes rows for. The sockets transport meets no fault.</summary>
    internal static IReadOnlyList<TransportKind> Enabled { get; } =
        FaultSetup.IsOn ? [TransportKind.Ioxide] : [TransportKind.Sockets, TransportKind.Ioxide];

    /// <summary>A builder with Kestrel and nothing that watches files: the host's inotify instances are few.</summary>
    internal static WebApplicationBuilder CreateBuilder()
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        return builder;
    }

    internal static void Apply(IWebHostBuilder host, TransportKind transport, Action<IoxideTransportOptions>? configure)
    {
        if (transport == TransportKind.Sockets)
        {
            return;
        }

        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        Kernel? kernel = FaultSetup.NewKernel();
        host.UseIoxide(options =>
        {
            options.ReactorCount = ReactorCount;
            options.Kernel = TestKernel.Choice;
            options.UseKernel(kernel);
            configure?.Invoke(options);
        });
    }
}

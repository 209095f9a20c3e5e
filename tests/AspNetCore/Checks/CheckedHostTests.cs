using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ioxide.AspNetCore.Tests;

/// <summary>The check starts a host by the code of a start, leaves nothing behind and serves nobody. The hosts are of this process.</summary>
public class CheckedHostTests
{
    [Fact]
    public async Task AddressesAreReleasedAndTheHostCanStartThere()
    {
        string path = TestServer.NewSocketPath();
        await AssertGoodAsync(kestrel => kestrel.ListenUnixSocket(path));
        Assert.False(File.Exists(path));

        using Socket owner = RawSocket.Listen(1);
        IPEndPoint address = (IPEndPoint)owner.LocalEndPoint!;
        owner.Dispose();
        await AssertGoodAsync(kestrel => kestrel.Listen(address));
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide) { Bind = kestrel => kestrel.Listen(address) });
        using RawClient client = await server.ConnectAsync();
    }

    [Fact]
    public async Task AServerThatSharesItsPortLosesNoConnectionToACheck()
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = static options => options.AllowPortSharing = true,
            Handler = Handlers.PathAsync,
        });
        using HeldAddress held = await HeldAddress.BindAsync(
            Kernel.Linux, server.EndPoint, new RingListenOptions { AllowPortSharing = true }, CancellationToken.None);
        Assert.Equal(server.EndPoint, held.EndPoint);

        // The kernel gives each socket that listens its share.
        for (int connection = 0; connection < 50; connection++)
        {
            using RawClient client = await server.ConnectAsync();
            Assert.Equal("/", (await client.GetAsync("/")).Text);
        }

        await AssertGoodAsync(kestrel => kestrel.Listen((IPEndPoint)server.EndPoint), static options => options.AllowPortSharing = true);
    }

    [Fact]
    public async Task TheLogIsSilentAndHostedServicesAreNotStarted()
    {
        var log = new LogCapture(LogLevel.Trace);
        var service = new CountedService();
        (int? status, string report) = await CheckAsync(builder =>
        {
            builder.Logging.AddProvider(log).AddFilter("Microsoft", LogLevel.Trace);
            builder.Services.AddSingleton<IHostedService>(service);
        });

        Assert.Equal((0, 0), (status, service.Starts));
        Assert.Contains("ok       endpoints      http://127.0.0.1:", report, StringComparison.Ordinal);
        Assert.DoesNotContain(log.Lines, static line => line.Event.Name is "ListeningOnAddress" or "Started" or "Stopped");
    }

    [Fact]
    public async Task OptionsOfOthersAndThePipelineAreCheckedToo()
    {
        (int? status, string report) = await CheckAsync(
            static builder => builder.Services.AddOptions<ShopOptions>().Validate(static _ => false, "Shop:Colour is missing.").ValidateOnStart(),
            static app => app.Use(static RequestDelegate (RequestDelegate _) => throw new InvalidOperationException("The shop has no till.")));

        Assert.Equal(1, status);
        Assert.Contains("OptionsValidationException: Shop:Colour is missing. The host does not start.", report, StringComparison.Ordinal);
        Assert.Contains("InvalidOperationException: The shop has no till. The host does not start.", report, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AKeyThatNoOptionHasIsLimited()
    {
        (int? status, string report) = await CheckAsync(static builder => builder.Configuration["Ioxide:ReactorCuont"] = "2");

        Assert.Equal(0, status);
        Assert.Contains(
            "Ioxide has no option of the name Ioxide:ReactorCuont. The key has no effect. Did you mean Ioxide:ReactorCount?", report,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--ioxide-check", "--Ioxide:ReactorCount=3")]
    [InlineData("--Ioxide:PinThreads=true", "--ioxide-check", "--Ioxide:ReactorCount=3")]
    public void WhatTheCheckSwallowsIsRestored(params string[] args)
    {
        IConfigurationRoot configuration = new ConfigurationBuilder().AddCommandLine(args).Build();
        Assert.Null(configuration["Ioxide:ReactorCount"]);

        CheckArguments.Restore(configuration);

        Assert.Equal("3", configuration["Ioxide:ReactorCount"]);
        Assert.Null(CheckArguments.FindWrong(args, configuration));
    }

    /// <summary>A built configuration does not say what its arguments were; one that is being built does.</summary>
    [Fact]
    public void AValueOfItsOwnWordIsRestoredOrRefused()
    {
        string[] args = ["--ioxide-check", "--Ioxide:ReactorCount", "3"];
        IConfigurationRoot built = new ConfigurationBuilder().AddCommandLine(args).Build();
        CheckArguments.Restore(built);
        Assert.StartsWith(
            "--Ioxide:ReactorCount: the configuration has read it as the value", CheckArguments.FindWrong(args, built), StringComparison.Ordinal);

        using var building = new ConfigurationManager();
        building.AddCommandLine(args);
        CheckArguments.Restore(building);
        Assert.Equal("3", building["Ioxide:ReactorCount"]);
        Assert.Null(CheckArguments.FindWrong(args, building));
    }

    [Fact]
    public async Task ReactorsThatNoEndpointUsesAreInTheLogWhenTheHostHasStarted()
    {
        var log = new LogCapture();
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Logging.AddProvider(log);
        builder.Services.AddIoxideTransport(static options =>
        {
            options.ReactorCount = 1;
            options.Kernel = TestKernel.Choice;
        });
        using IHost host = builder.Build();
        _ = host.Services.GetRequiredService<IReactorGroupSource>().GetReactors();
        Assert.DoesNotContain(log.Lines, static line => line.Event.Name == "Started");

        await host.StartAsync().Within(20.Seconds());

        Assert.EndsWith(
            "with 1 reactor (ReactorCount). No endpoint is bound to them so far.",
            Assert.Single(log.Lines, static line => line.Event.Name == "Started").Message,
            StringComparison.Ordinal);
        await host.StopAsync().Within(20.Seconds());
    }

    [Fact]
    public async Task WhereReactorsAreRefusedTheLogNamesSocketsOnlyForEndpoints()
    {
        var log = new LogCapture();
        await using ServiceProvider services = new ServiceCollection()
            .AddLogging(logging => logging.AddProvider(log))
            .AddIoxideTransport(static options => options.UseKernel(new RefusingKernel()))
            .BuildServiceProvider();
        ReactorFleet fleet = services.GetRequiredService<ReactorFleet>();

        Assert.Throws<RingUnavailableException>(fleet.GetReactors);
        Assert.Empty(log.Lines);

        Assert.Null(fleet.GetForEndPoints());
        Assert.Null(fleet.GetForEndPoints());
        Assert.Equal(1002, Assert.Single(log.Lines).Event.Id);
    }

    /// <summary>A signal that is registered then would never be given back.</summary>
    [Theory]
    [InlineData(KernelChoice.Sockets)]
    [InlineData(KernelChoice.Epoll)]
    public async Task AHostWhoseServicesAreDisposedBindsNothing(KernelChoice kernel)
    {
        ServiceProvider services = new ServiceCollection()
            .AddLogging()
            .AddIoxideTransport(options =>
            {
                options.Kernel = kernel;
                options.DumpSignal = DumpSignal.SigUsr2;
            })
            .BuildServiceProvider();
        ReactorFleet fleet = services.GetRequiredService<ReactorFleet>();
        Assert.Equal(kernel, fleet.Options.Kernel);
        await services.DisposeAsync();

        Assert.Throws<ObjectDisposedException>(fleet.GetForEndPoints);
    }

    private static async Task AssertGoodAsync(Action<KestrelServerOptions> bind, Action<IoxideTransportOptions>? configure = null)
    {
        (int? status, string report) = await CheckAsync(
            builder => builder.WebHost.ConfigureKestrel(bind).UseIoxide(configure ?? (static _ => { })), usesUrl: false);
        Assert.True(status == 0, report);
    }

    private static async Task<(int? Status, string Report)> CheckAsync(
        Action<WebApplicationBuilder> configure, Action<WebApplication>? map = null, bool usesUrl = true)
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        WebApplicationBuilder builder = TransportSetup.CreateBuilder();
        builder.WebHost.UseIoxide(static options =>
        {
            options.ReactorCount = 1;
            options.Kernel = TestKernel.Choice;
        });
        if (usesUrl)
        {
            builder.WebHost.UseUrls("http://127.0.0.1:0");
        }

        configure(builder);
        await using WebApplication app = builder.Build();
        map?.Invoke(app);
        using var output = new StringWriter();
        int? status = await IoxideCheck.AnswerAsync([IoxideCheck.Argument], new CheckedHost(app.Services), output, output).Within(60.Seconds());
        return (status, output.ToString());
    }

    private sealed class CountedService : IHostedService
    {
        internal int Starts { get; private set; }

        public Task StartAsync(CancellationToken cancellationToken)
        {
            Starts++;
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private sealed class ShopOptions;

    /// <summary>No thread can wake a reactor.</summary>
    private sealed class RefusingKernel : Kernel
    {
        internal override int EventDescriptor() => -Errno.EPERM;
    }
}

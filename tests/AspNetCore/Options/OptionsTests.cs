using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Options have the sockets transport's defaults, can be configured, and are checked when the host starts.</summary>
public class OptionsTests
{
    [Theory]
    [InlineData("ReactorCount", -1)]
    [InlineData("ReactorCount", 10_000)]
    [InlineData("Backlog", -1)]
    [InlineData("MaxReadBufferSize", -1)]
    [InlineData("MaxWriteBufferSize", -1)]
    [InlineData("StopDelay", -1)]
    [InlineData("StopDelay", 2)]
    [InlineData("DumpSignal", 3)]
    public async Task AnInvalidValueStopsTheStartAndIsNamed(string option, int value)
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide();
        builder.Configuration[$"Ioxide:{option}"] = $"{value}";

        Assert.StartsWith($"Ioxide:{option} is ", await RefusalAsync(builder), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ReactorCount", "two")]
    [InlineData("ApplicationScheduling", "Sometimes")]
    [InlineData("StopDelay", "ten")]
    public async Task AValueOfAnotherTypeStopsTheStartAndIsNamed(string option, string value)
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide();
        builder.Configuration[$"Ioxide:{option}"] = value;

        string refusal = await RefusalAsync(builder);

        Assert.Contains($"'{value}' at 'Ioxide:{option}'", refusal, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("StopDelay", "1", "is 1, which would be days.")]
    [InlineData("LingerTimeout", " 2 ", "is  2 , which would be days.")]
    [InlineData("StallThreshold", "-1", "is -1, which would be days.")]
    public async Task ATimeWithoutAUnitStopsTheStartAndIsNamed(string option, string value, string reason)
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide();
        builder.Configuration[$"Ioxide:{option}"] = value;

        Assert.StartsWith($"Ioxide:{option} {reason}", await RefusalAsync(builder), StringComparison.Ordinal);
    }

    [Theory, Each("-00:00:01", "1.00:00:01")]
    public async Task AStopIsDelayedByADayAtMost(string value)
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide();
        builder.Configuration["Ioxide:StopDelay"] = value;
        Assert.StartsWith($"Ioxide:StopDelay is {value}", await RefusalAsync(builder), StringComparison.Ordinal);

        // The control.
        builder = CreateBuilder();
        builder.WebHost.UseIoxide();
        builder.Configuration["Ioxide:StopDelay"] = "1.00:00:00";
        Assert.Equal(TimeSpan.FromDays(1), Resolve(builder).StopDelay);
    }

    [Fact]
    public async Task AnUndefinedValueOfAnEnumStopsTheStartAndTheOthersAreListed()
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide(options => options.ApplicationScheduling = (ApplicationScheduling)99);

        Assert.Contains("Ioxide:ApplicationScheduling is 99, which cannot be used.", await RefusalAsync(builder), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("ReactorsCount", "Did you mean Ioxide:ReactorCount?")]
    [InlineData("reactorcuont", "Did you mean Ioxide:ReactorCount?")]
    [InlineData("Colour", "docs/options.md lists the options.")]
    public async Task AnUnknownKeyIsAWarningWithTheNearestOption(string key, string remedy)
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Builder = builder => builder.Configuration[$"Ioxide:{key}"] = "2",
            Handler = Handlers.PathAsync,
        });

        LogLine line = Assert.Single(server.Logs, static line => line.Event.Id == 1025);
        Assert.Equal(
            (LogLevel.Warning, $"The configuration key Ioxide:{key} has no effect: Ioxide has no option of that name. {remedy}"),
            (line.Level, line.Message));
    }

    [Fact]
    public async Task KnownKeysOfAnyCaseAreNoWarning()
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Builder = static builder =>
            {
                builder.Configuration["IOXIDE:stopdelay"] = "00:00:00";
                builder.Configuration["Ioxide:Pg:PipelineDepth"] = "3"; // Read and checked by Ioxide.Pg.
            },
            Handler = Handlers.PathAsync,
        });

        Assert.DoesNotContain(server.Logs, static line => line.Event.Id == 1025);
    }

    [Theory]
    [InlineData(ApplicationScheduling.Adaptive, "Endpoints start on the thread pool and move to a reactor after 32 runs that did not block.")]
    [InlineData(ApplicationScheduling.Inline, "Handlers run on the reactors.")]
    [InlineData(ApplicationScheduling.ThreadPool, "Handlers run on the thread pool.")]
    public async Task OneLineSaysWhatServes(ApplicationScheduling scheduling, string expected)
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = options => options.ApplicationScheduling = scheduling,
            Handler = Handlers.PathAsync,
        });

        LogLine line = Assert.Single(server.Logs, static line => line.Category == "Ioxide.AspNetCore" && line.Level == LogLevel.Information);
        Assert.Equal($"Using {TestKernel.Name} with 2 reactors (ReactorCount). {expected}", line.Message);
    }

    [Fact]
    public void BindsFromTheConfigurationSectionIoxide()
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide();
        builder.Configuration["Ioxide:ReactorCount"] = "3";
        builder.Configuration["Ioxide:NoDelay"] = "false";
        builder.Configuration["Ioxide:ApplicationScheduling"] = "ThreadPool";
        builder.Configuration["Ioxide:MaxReadBufferSize"] = "12345";

        IoxideTransportOptions options = Resolve(builder);

        Assert.Equal((3, false, ApplicationScheduling.ThreadPool), (options.ReactorCount, options.NoDelay, options.ApplicationScheduling));
        Assert.Equal(12_345, options.MaxReadBufferSize);
    }

    [Fact]
    public void TheCallbackOfUseIoxideChangesThem()
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide(options => options.ReactorCount = 2);

        Assert.Equal(2, Resolve(builder).ReactorCount);
    }

    [Fact]
    public async Task OptionsOfTheSocketsTransportThatReactorsDoNotReadAreWarnings()
    {
        Assert.Equal(
            [
                "Backlog has no effect: reactors serve the endpoints. Set Ioxide:Backlog.",
                "CreateBoundListenSocket has no effect: reactors serve the endpoints. Hand your socket in by ListenHandle.",
                "NoDelay has no effect: reactors serve the endpoints. Set Ioxide:NoDelay.",
                "UnsafePreferInlineScheduling has no effect: reactors serve the endpoints. Set Ioxide:ApplicationScheduling.",
            ],
            await LostAsync(
                static sockets =>
                {
                    sockets.Backlog = 7;
                    sockets.NoDelay = false;
                    sockets.MaxReadBufferSize = 4096;
                    sockets.UnsafePreferInlineScheduling = true;
                    sockets.CreateBoundListenSocket = static _ => throw new NotSupportedException();
                },
                static ioxide => ioxide.MaxReadBufferSize = 4096));
        Assert.Empty(await LostAsync(static _ => { }, static ioxide => ioxide.Backlog = 7));
        Assert.Empty(await LostAsync(static sockets => sockets.Backlog = 7, static ioxide => ioxide.Kernel = KernelChoice.Sockets));
    }

    [Fact]
    public void CodeWinsOverConfiguration()
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.Configuration["Ioxide:ReactorCount"] = "3";
        builder.WebHost.UseIoxide(options => options.ReactorCount = 2);

        Assert.Equal(2, Resolve(builder).ReactorCount);
    }

    [Fact]
    public void DefaultsEqualThoseOfTheSocketsTransport()
    {
        WebApplicationBuilder builder = CreateBuilder();
        builder.WebHost.UseIoxide();

        IoxideTransportOptions options = Resolve(builder);

        SocketTransportOptions sockets = new();
        Assert.Equal(sockets.Backlog, options.Backlog);
        Assert.Equal(sockets.NoDelay, options.NoDelay);
        Assert.Equal(sockets.MaxReadBufferSize, options.MaxReadBufferSize);
        Assert.Equal(sockets.MaxWriteBufferSize, options.MaxWriteBufferSize);
        Assert.Equal((0, ApplicationScheduling.Adaptive, false), (options.ReactorCount, options.ApplicationScheduling, options.RequireIoUring));
    }

    [Fact]
    public async Task UseIoxideMayBeCalledTwice()
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Builder = builder => builder.WebHost.UseIoxide(),
            Handler = Handlers.PathAsync,
        });
        using RawClient client = await server.ConnectAsync();

        Assert.Equal("/", (await client.GetAsync("/")).Text);
    }

    [Theory, OverTransports]
    public async Task AnotherServerInTheProcessIsIndependent(TransportKind transport)
    {
        TestServer first = await TestServer.StartAsync(transport, Handlers.PathAsync);
        await using TestServer second = await TestServer.StartAsync(transport, Handlers.PathAsync);
        using RawClient client = await second.ConnectAsync();
        Assert.Equal("/before", (await client.GetAsync("/before")).Text);

        await first.DisposeAsync();

        Assert.Equal("/after", (await client.GetAsync("/after")).Text);
        using RawClient late = await second.ConnectAsync();
        Assert.Equal("/late", (await late.GetAsync("/late")).Text);
    }

    [Theory, Each(null, 1L, 100L, 10_000_000L)]
    public async Task AnyBufferLimitServes(long? limitBytes)
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Ioxide = options =>
            {
                options.MaxReadBufferSize = limitBytes;
                options.MaxWriteBufferSize = limitBytes;
            },
            Handler = Handlers.EchoAsync,
        });
        using HttpClient client = server.CreateClient();
        byte[] sent = Payload.Of(100_000);

        using HttpResponseMessage response = await client.PostAsync("/", new ByteArrayContent(sent));

        Payload.AssertSame(sent, await response.Content.ReadAsByteArrayAsync());
    }

    /// <summary>What a host that does not start prints about it, which is one line.</summary>
    private static async Task<string> RefusalAsync(WebApplicationBuilder builder)
    {
        OptionsValidationException exception = await Assert.ThrowsAnyAsync<OptionsValidationException>(async () =>
        {
            await using WebApplication app = builder.Build();
            await app.StartAsync().Within(20.Seconds());
        });

        string printed = exception.ToString();
        Assert.DoesNotContain('\n', printed);
        return printed;
    }

    /// <summary>The ends of the lines about options that are set and not read.</summary>
    private static async Task<string[]> LostAsync(Action<SocketTransportOptions> sockets, Action<IoxideTransportOptions> ioxide)
    {
        await using TestServer server = await TestServer.StartAsync(new(TransportKind.Ioxide)
        {
            Builder = builder => builder.Services.Configure(sockets),
            Ioxide = ioxide,
            Bind = static kestrel =>
            {
                kestrel.Listen(IPAddress.Loopback, 0);
                kestrel.Listen(IPAddress.Loopback, 0);
            },
        });
        return [.. server.Logs.Where(static line => line.Event.Id == 1033).Select(static line => line.Message.Split('.', 2)[1]).Order(StringComparer.Ordinal)];
    }

    private static WebApplicationBuilder CreateBuilder()
    {
        WebApplicationBuilder builder = TransportSetup.CreateBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        return builder;
    }

    private static IoxideTransportOptions Resolve(WebApplicationBuilder builder)
    {
        using WebApplication host = builder.Build();
        return host.Services.GetRequiredService<IOptions<IoxideTransportOptions>>().Value;
    }
}

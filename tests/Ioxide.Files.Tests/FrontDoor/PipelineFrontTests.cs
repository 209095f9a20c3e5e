using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Ioxide.Files.Tests;

/// <summary>What stands in front of every end point, and shows in the container, shuts the front door; a warning names it.</summary>
public class PipelineFrontTests
{
    [Fact]
    public async Task AFallbackPolicyShutsTheDoor()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await StartAsync(site, static services => services.AddAuthorizationBuilder()
            .SetFallbackPolicy(new AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build()));
        Assert.Equal(401, await doors.AssertSameAsync("/a.txt", isAtDoor: false));
        Assert.Single(doors.Warnings, static line => line.Contains("FallbackPolicy", StringComparison.Ordinal));
    }

    [Fact]
    public async Task WhereThereIsNoFrontDoorNothingIsSaidOfIt()
    {
        using TestFolder site = MakeSite();
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Door = Door.Sockets,
            Folder = site.Path,
            Conventions = static files => files.WithMetadata(new object()),
            Services = static services => services.AddAuthorizationBuilder()
                .SetFallbackPolicy(new AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build()),
        });
        Assert.DoesNotContain(server.Logs, static line => line.Message.Contains("front door", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(true, true, true)]
    [InlineData(true, false, false)]
    [InlineData(false, true, false)]
    public async Task APolicyProviderOfItsOwnIsAsked(bool isCached, bool isOpen, bool isAtDoor)
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await StartAsync(site, services => services.AddSingleton<IAuthorizationPolicyProvider>(
            provider => new OwnProvider(provider.GetRequiredService<IOptions<AuthorizationOptions>>(), isCached, isOpen)));
        await doors.AssertSameAsync("/a.txt", isAtDoor);
    }

    [Fact]
    public async Task ADefaultPolicyAloneDoesNot()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await StartAsync(site, static services => services.AddAuthorizationBuilder()
            .SetDefaultPolicy(new AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build()));
        await doors.AssertSameAsync("/a.txt", isAtDoor: true);
    }

    [Fact]
    public async Task AllowedHostsShutTheDoorForAsLongAsTheyAreSet()
    {
        using TestFolder site = MakeSite();
        var settings = new Dictionary<string, string?> { ["AllowedHosts"] = "example.com" };
        ConfigurationManager? configuration = null;
        await using BothDoors doors = await BothDoors.StartAsync(
            app => Map(app, site),
            builder => (configuration = builder.Configuration).AddInMemoryCollection(settings),
            static () => WebApplication.CreateBuilder());
        Assert.Equal(400, await doors.AssertSameAsync("/a.txt", isAtDoor: false));
        Assert.Equal(200, await doors.AssertSameAsync("/a.txt", isAtDoor: false, "example.com"));
        Assert.Single(doors.Warnings, static line => line.Contains("AllowedHosts", StringComparison.Ordinal));

        configuration!["AllowedHosts"] = "*";
        ((IConfigurationRoot)configuration).Reload();
        await doors.UntilOpenAsync("/a.txt");
    }

    [Fact]
    public async Task AllHostsAreNoReason()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(
            app => Map(app, site), static builder => builder.Configuration["AllowedHosts"] = "*", static () => WebApplication.CreateBuilder());
        await doors.AssertSameAsync("/a.txt", isAtDoor: true);
    }

    [Fact]
    public async Task AGlobalRateLimiterShutsTheDoor()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(
            app =>
            {
                app.UseRateLimiter();
                Map(app, site);
            },
            static builder => builder.Services.AddRateLimiter(static options => options.GlobalLimiter =
                PartitionedRateLimiter.Create<HttpContext, int>(static _ => RateLimitPartition.GetConcurrencyLimiter(
                    0, static _ => new ConcurrencyLimiterOptions { PermitLimit = 10, QueueLimit = 0 }))));
        await doors.AssertSameAsync("/a.txt", isAtDoor: false);
        Assert.Single(doors.Warnings, static line => line.Contains("GlobalLimiter", StringComparison.Ordinal));
    }

    [Fact]
    public async Task ARedirectToHttpsShutsTheDoorInCleartext()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(
            app =>
            {
                app.UseHttpsRedirection();
                Map(app, site);
            },
            static builder => builder.Services.AddHttpsRedirection(static options => options.HttpsPort = 443));
        Assert.Equal(307, await doors.AssertSameAsync("/a.txt", isAtDoor: false));
        Assert.Single(doors.Warnings, static line => line.Contains("AddHttpsRedirection", StringComparison.Ordinal));
    }

    [Fact]
    public async Task ARedirectToHttpsLeavesTheDoorOpenBehindTls()
    {
        using TestFolder site = MakeSite();
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Door = Door.SocketsFront,
            Folder = site.Path,
            IsHttps = true,
            Services = static services => services.AddHttpsRedirection(static options => options.HttpsPort = 443),
        });
        using HttpClient client = server.CreateClient(new Version(1, 1));
        Assert.Equal("a", await client.GetStringAsync(new Uri("/a.txt", UriKind.Relative)));
        Assert.Equal(1, server.Statistics.AtFrontDoor);
    }

    [Fact]
    public async Task ADefaultCorsPolicyShutsTheDoor()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartAsync(
            app =>
            {
                app.UseCors();
                Map(app, site);
            },
            static builder => builder.Services.AddCors(static options => options.AddDefaultPolicy(static policy => policy.AllowAnyOrigin())));
        await doors.AssertSameAsync("/a.txt", isAtDoor: false, headers: "Origin: http://example.com\r\n");
        Assert.Single(doors.Warnings, static line => line.Contains("CORS", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AHostWithAStartupClassHasItsDoorToo()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartClassicAsync(app => app.UseRouting().UseEndpoints(routes =>
        {
            routes.MapIoxideFiles("/", site.Path, static options => options.WatchForChanges = false);
            routes.MapGet("/private/{**rest}", static () => "end point");
        }));
        await doors.AssertSameAsync("/a.txt", isAtDoor: true);
        await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);
    }

    [Fact]
    public async Task ASecondRoutingInAStartupClassShutsTheDoor()
    {
        using TestFolder site = MakeSite();
        await using BothDoors doors = await BothDoors.StartClassicAsync(app =>
        {
            app.UseRouting().UseEndpoints(static routes => routes.MapFallback("/private/{**rest}", static () => "end point"));
            app.UseRouting().UseEndpoints(routes => routes.MapIoxideFiles("/", site.Path, static options => options.WatchForChanges = false));
        });
        await doors.AssertSameAsync("/private/secret.txt", isAtDoor: false);
        Assert.Single(doors.Warnings, static line => line.Contains("UseRouting", StringComparison.Ordinal));
    }

    [Fact]
    public async Task WithoutTheWordTheStartFailsAndSaysWhatElseServesFiles()
    {
        using TestFolder site = MakeSite();
        ArgumentException exception = await Assert.ThrowsAsync<ArgumentException>(() => BothDoors.StartAsync(
            app => Map(app, site),
            static builder => builder.WebHost.ConfigureKestrel(static kestrel => kestrel.ListenLocalhost(
                1, static listen => listen.UseIoxideFiles(bypassMiddleware: false)))));
        Assert.Contains("MapIoxideFiles serves the files through the pipeline", exception.Message, StringComparison.Ordinal);
    }

    private static TestFolder MakeSite() => new TestFolder().With("a.txt", "a").With("private/secret.txt", "secret");

    private static void Map(WebApplication app, TestFolder site)
        => app.MapIoxideFiles("/", site.Path, static options => options.WatchForChanges = false);

    private static Task<BothDoors> StartAsync(TestFolder site, Action<IServiceCollection> configure)
        => BothDoors.StartAsync(app => Map(app, site), builder => configure(builder.Services));

    private sealed class OwnProvider(IOptions<AuthorizationOptions> options, bool isCached, bool isOpen) : IAuthorizationPolicyProvider
    {
        private readonly DefaultAuthorizationPolicyProvider _inner = new(options);

        public bool AllowsCachingPolicies => isCached;

        public Task<AuthorizationPolicy> GetDefaultPolicyAsync() => _inner.GetDefaultPolicyAsync();

        public Task<AuthorizationPolicy?> GetPolicyAsync(string policyName) => _inner.GetPolicyAsync(policyName);

        public Task<AuthorizationPolicy?> GetFallbackPolicyAsync() => Task.FromResult<AuthorizationPolicy?>(
            isOpen ? null : new AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build());
    }
}

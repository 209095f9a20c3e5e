using System.Net;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;

namespace Ioxide.Files.Tests;

/// <summary>Runs a generated application on all ports of <see cref="ApplicationPort"/>.</summary>
internal sealed class ApplicationHost : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly GeneratedApplication _generated;
    private readonly Dictionary<IoxideFilesOptions, IReadOnlyList<string>> _sites = new(ReferenceEqualityComparer.Instance);
    private readonly Dictionary<ApplicationPort, ListenOptions> _ports = [];
    private readonly LateEndpoints _late;

    private ApplicationHost(GeneratedApplication generated, ApplicationFolders folders)
    {
        _generated = generated;
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().UseIoxide(static options =>
        {
            options.ReactorCount = 1;
            options.Kernel = TestKernel.Choice;
        });
        builder.WebHost.ConfigureKestrel(kestrel => Array.ForEach(Enum.GetValues<ApplicationPort>(), port => Listen(kestrel, port)));
        AddServices(builder.Services);
        _app = builder.Build();
        _late = new LateEndpoints(_app.Services);
        AddMiddleware(folders);
        AddEndpoints(folders);
        if (generated.IsRoutingExplicit)
        {
            _app.UseEndpoints(static _ => { });
        }

        if (generated.HasRest)
        {
            _app.Run(static context => context.Response.WriteAsync("rest"));
        }
    }

    internal static async Task<ApplicationHost> StartAsync(GeneratedApplication generated, ApplicationFolders folders)
    {
        var host = new ApplicationHost(generated, folders);
        await host._app.StartAsync().Within(60.Seconds());
        return host;
    }

    internal IPEndPoint EndPointOf(ApplicationPort port) => _ports[port].IPEndPoint!;

    /// <summary>From now on the application has all its endpoints.</summary>
    internal void AddLateEndpoints() => _late.Add(_generated.LateRoutes);

    public async ValueTask DisposeAsync()
    {
        await _app.StopAsync().Within(60.Seconds());
        await _app.DisposeAsync().AsTask().Within(60.Seconds());
        _late.Dispose();
    }

    private static IPAddress AddressOf(ApplicationPort port) => new([127, 0, 0, (byte)port]);

    private void Listen(KestrelServerOptions kestrel, ApplicationPort port) => kestrel.Listen(AddressOf(port), 0, listen => _ports[port] = listen);

    private void AddServices(IServiceCollection services)
    {
        services.AddIoxideFiles();
        services.AddRouting(static options =>
        {
            options.ConstraintMap["odd"] = typeof(OddConstraint);
            options.ConstraintMap["asked"] = typeof(AskedConstraint);
        });
        services.AddSingleton<IConnectionListenerFactory>(static provider => new SocketsOrRing(
            ActivatorUtilities.CreateInstance<SocketTransportFactory>(provider),
            static endPoint => endPoint is IPEndPoint { Address: { } address } && address.Equals(AddressOf(ApplicationPort.Stock))));
        services.Replace(ServiceDescriptor.Singleton<IHttpContextFactory>(provider => new MarkingContextFactory(provider, _sites)));
        services.AddResponseCompression();
        if (_generated.HasHttpsRedirection)
        {
            services.AddHttpsRedirection(static options => options.HttpsPort = 8443);
        }

        if (_generated.HasAllowedHosts)
        {
            services.AddHostFiltering(static options => options.AllowedHosts = GeneratedApplication.AllowedHosts);
        }

        services.AddCors(static options => options.AddPolicy(GeneratedConvention.Cors, static policy => policy.AllowAnyOrigin()));
        if (_generated.Services.HasFlag(ApplicationServices.Authorization))
        {
            services.AddAuthentication(NamedUserHandler.Name).AddScheme<AuthenticationSchemeOptions, NamedUserHandler>(NamedUserHandler.Name, null);
            services.AddAuthorization(options =>
            {
                options.AddPolicy(GeneratedConvention.Admin, static policy => policy.RequireUserName("admin"));
                options.FallbackPolicy = _generated.HasFallbackPolicy ? new AuthorizationPolicyBuilder().RequireAuthenticatedUser().Build() : null;
            });
        }

        if (_generated.Services.HasFlag(ApplicationServices.RateLimits))
        {
            services.AddRateLimiter(options =>
            {
                options.AddPolicy(GeneratedConvention.Rate, static _ => RateLimitPartition.Get("", static _ => new RefusingLimiter()));
                options.GlobalLimiter = _generated.HasGlobalLimit ? PartitionedRateLimiter.Create<HttpContext, string>(LimitOf) : null;
            });
        }

        if (_generated.Services.HasFlag(ApplicationServices.OutputCache))
        {
            services.AddOutputCache(static options => options.AddBasePolicy(static policy
                => policy.VaryByValue(static context => new("port", $"{context.Connection.LocalIpAddress}")), excludeDefaultPolicy: true));
        }

        if (_generated.Services.HasFlag(ApplicationServices.Tenants))
        {
            services.TryAddEnumerable(ServiceDescriptor.Singleton<MatcherPolicy, TenantPolicy>());
        }
    }

    /// <summary>Refuses what is below a path.</summary>
    private static RateLimitPartition<string> LimitOf(HttpContext context)
        => context.Request.Path.Value!.Contains("/a.", StringComparison.OrdinalIgnoreCase)
            ? RateLimitPartition.Get("refused", static _ => new RefusingLimiter())
            : RateLimitPartition.GetNoLimiter("");

    private void AddMiddleware(ApplicationFolders folders)
    {
        if (_generated.HasAllowedHosts)
        {
            new GeneratedMiddleware("AllowedHosts", static app => app.UseHostFiltering()).AddTo(_app);
        }

        if (_generated.HasHttpsRedirection)
        {
            new GeneratedMiddleware("HTTPS redirection", static app => app.UseHttpsRedirection()).AddTo(_app);
        }

        if (_generated.HasBranch)
        {
            ((IApplicationBuilder)_app).Map(GeneratedApplication.BranchPath, branch => branch.UseRouting().UseEndpoints(endpoints
                => endpoints.MapIoxideFiles("/", folders[GeneratedApplication.BranchFolder], options => Prepare(options, ["folder in a branch"]))));
        }

        if (_generated.HasExceptionHandler)
        {
            _app.UseExceptionHandler(static branch => branch.Run(static context =>
            {
                MarkingContextFactory.Enter(context, "exception handler");
                return context.Response.WriteAsync("An exception was handled.");
            }));
        }

        if (_generated.HasStatusPages)
        {
            _app.UseStatusCodePages(static pages =>
            {
                MarkingContextFactory.Enter(pages.HttpContext, "status pages");
                return pages.HttpContext.Response.WriteAsync("A page for a status.");
            });
        }

        Array.ForEach(_generated.Before, middleware => middleware.AddTo(_app));
        if (_generated.IsRoutingExplicit)
        {
            _app.UseRouting();
        }

        ApplicationServices services = _generated.Services;
        _ = services.HasFlag(ApplicationServices.Cors) ? _app.UseCors() : null;
        _ = services.HasFlag(ApplicationServices.Authorization) ? _app.UseAuthentication().UseAuthorization() : null;
        if (services.HasFlag(ApplicationServices.RateLimits))
        {
            new GeneratedMiddleware("rate limit", static app => app.UseRateLimiter()).AddTo(_app);
        }

        _ = services.HasFlag(ApplicationServices.OutputCache) ? _app.UseOutputCache() : null;
        Array.ForEach(_generated.After, middleware => middleware.AddTo(_app));
    }

    private void Prepare(IoxideFilesOptions options, IReadOnlyList<string> features)
    {
        options.WatchForChanges = false;
        _sites[options] = features;
    }

    private void AddEndpoints(ApplicationFolders folders)
    {
        Dictionary<GeneratedGroup, IEndpointRouteBuilder> groups = new(ReferenceEqualityComparer.Instance);
        foreach (GeneratedSite site in _generated.Sites)
        {
            IEndpointConventionBuilder builder = BuilderOf(site.Group).MapIoxideFiles(site.Prefix, folders[site.FolderNumber], options =>
            {
                Array.ForEach(site.Options, option => option.Apply(options));
                Prepare(options, site.Features);
            });
            Array.ForEach(site.Conventions, convention => convention.Apply(builder));
        }

        Array.ForEach(_generated.Routes, route => route.MapOn(BuilderOf(route.Group)));
        ((IEndpointRouteBuilder)_app).DataSources.Add(_late);

        IEndpointRouteBuilder BuilderOf(GeneratedGroup? group)
        {
            if (group is null)
            {
                return _app;
            }

            if (!groups.TryGetValue(group, out IEndpointRouteBuilder? builder))
            {
                RouteGroupBuilder made = _app.MapGroup(group.Prefix);
                Array.ForEach(group.Conventions, convention => convention.Apply(made));
                groups[group] = builder = made;
            }

            return builder;
        }
    }
}

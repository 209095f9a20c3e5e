using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.StaticFiles;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Hosting;

namespace Ioxide.Files.Tests;

/// <summary>Runs an application with its folders mapped, or with <c>UseStaticFiles</c> in front of routing in their place.</summary>
internal sealed class NeighbourHost : IAsyncDisposable
{
    internal const string EndPointField = "X-End-Point";
    internal const string FileField = "X-File";

    private readonly WebApplication _app;
    private readonly List<PhysicalFileProvider> _providers = [];
    private ListenOptions? _listen;
    private RawClient? _client;

    private NeighbourHost(NeighbourApplication application, ApplicationFolders folders, bool isOurs)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => _listen = listen));
        builder.Services.AddRouting().AddIoxideFiles();
        _app = builder.Build();
        if (application.PathBase.Length > 0)
        {
            // UsePathBase would route at once, in front of the static files.
            _app.Use((context, next) =>
            {
                if (context.Request.Path.StartsWithSegments(application.PathBase, out PathString matched, out PathString rest))
                {
                    context.Request.PathBase = matched;
                    context.Request.Path = rest;
                }

                return next(context);
            });
        }

        if (!isOurs)
        {
            // The longer prefix first, then the one that was mapped first.
            foreach (NeighbourFolder folder in application.Folders
                .OrderByDescending(static folder => folder.Start.Length).ThenBy(static folder => folder.Index))
            {
                UseStatic(folder, folders[folder.Number]);
            }
        }

        _app.UseRouting();
        if (isOurs)
        {
            foreach (NeighbourFolder folder in application.Folders)
            {
                IEndpointRouteBuilder routes = folder.Group.Length > 0 ? _app.MapGroup(folder.Group) : _app;
                IEndpointConventionBuilder files = routes.MapIoxideFiles(folder.Prefix, folders[folder.Number], options =>
                {
                    options.WatchForChanges = false;
                    options.FallbackFile = application.HasFallbackFile && folder.Index == 0 ? "index.html" : null;
                    options.Headers[FileField] = "yes";
                });
                _ = folder.Host is { } host ? files.RequireHost(host) : files;
            }
        }

        MapOthers(application, folders, isOurs);
        _app.UseEndpoints(static _ => { });
        if (application.HasRest)
        {
            _app.Run(static context => context.Response.WriteAsync("rest"));
        }
    }

    internal static async Task<NeighbourHost> StartAsync(NeighbourApplication application, ApplicationFolders folders, bool isOurs)
    {
        var host = new NeighbourHost(application, folders, isOurs);
        await host._app.StartAsync().Within(60.Seconds());
        host._client = await RawClient.ConnectAsync(host._listen!.EndPoint);
        return host;
    }

    internal async Task<NeighbourAnswer> AskAsync(NeighbourRequest request)
    {
        return NeighbourAnswer.Of(
            await _client!.AskAsync($"{request.Method} {request.Target} HTTP/1.1\r\nHost: {request.Host}\r\nContent-Length: 0\r\n\r\n"), request.Host);
    }

    public async ValueTask DisposeAsync()
    {
        _client?.Dispose();
        await _app.StopAsync().Within(60.Seconds());
        await _app.DisposeAsync();
        _providers.ForEach(static provider => provider.Dispose());
    }

    private void UseStatic(NeighbourFolder folder, string path)
    {
        StaticFileOptions files = OptionsOf(folder, path);
        var defaults = new DefaultFilesOptions { FileProvider = files.FileProvider, RequestPath = folder.Start };
        defaults.DefaultFileNames.Clear();
        defaults.DefaultFileNames.Add("index.html");
        if (folder.Host is { } host)
        {
            _app.UseWhen(context => context.Request.Host.Host == host, branch => branch.UseDefaultFiles(defaults).UseStaticFiles(files));
        }
        else
        {
            _app.UseDefaultFiles(defaults).UseStaticFiles(files);
        }
    }

    private StaticFileOptions OptionsOf(NeighbourFolder folder, string path)
    {
        var provider = new PhysicalFileProvider(path);
        _providers.Add(provider);
        return new StaticFileOptions
        {
            FileProvider = provider,
            RequestPath = folder.Start,
            OnPrepareResponse = static context => context.Context.Response.Headers[FileField] = "yes",
        };
    }

    private void MapOthers(NeighbourApplication application, ApplicationFolders folders, bool isOurs)
    {
        foreach (NeighbourRoute route in application.Routes)
        {
            Task Answer(HttpContext context)
            {
                context.Response.Headers[EndPointField] = route.Name;
                return context.Response.WriteAsync($"{context.Request.Method} {route.Name}");
            }

            IEndpointConventionBuilder builder = route.Methods.Length > 0
                ? _app.MapMethods(route.Pattern, route.Methods, Answer) : _app.Map(route.Pattern, Answer);
            builder.Add(endpoint => ((RouteEndpointBuilder)endpoint).Order = route.Order);
            _ = route.Host is { } host ? builder.RequireHost(host) : builder;
        }

        if (application.HasAppFallback)
        {
            _app.MapFallback(static context =>
            {
                context.Response.Headers[EndPointField] = "fallback";
                return context.Response.WriteAsync("fallback");
            });
        }
        else if (application.HasFallbackFile && !isOurs)
        {
            NeighbourFolder folder = application.Folders[0];
            StaticFileOptions options = OptionsOf(folder, folders[folder.Number]);
            IEndpointConventionBuilder builder = _app.MapFallbackToFile($"{folder.Start}/{{*path:nonfile}}", "index.html", new StaticFileOptions
            {
                FileProvider = options.FileProvider,
                OnPrepareResponse = options.OnPrepareResponse,
            });
            _ = folder.Host is { } host ? builder.RequireHost(host) : builder;
        }
    }
}

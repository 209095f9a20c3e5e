using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.AspNetCore.Rewrite;

namespace Ioxide.Files.Tests;

/// <summary>A middleware that acts on requests without metadata of an endpoint.</summary>
/// <param name="Name">As it is counted; begins with <see cref="Mark"/>.</param>
/// <param name="Configure">Adds it to a branch that the rest of the pipeline follows.</param>
/// <param name="ActsLater">Whether it changes the answer of a request that it passes on as it was.</param>
internal sealed record GeneratedMiddleware(string Name, Action<IApplicationBuilder> Configure, Func<HttpContext, bool>? ActsLater = null)
{
    internal const string Mark = "middleware: ";

    /// <summary>With it a branch of a <see cref="WebApplication"/> routes again what it has rewritten.</summary>
    private const string RouteBuilder = "__GlobalEndpointRouteBuilder";

    internal static readonly GeneratedMiddleware[] All =
    [
        new(Mark + "refuses private", static app => app.Use(static (context, next) =>
        {
            bool isRefused = context.Request.Path.Value!.Contains("private", StringComparison.OrdinalIgnoreCase);
            context.Response.StatusCode = isRefused ? 403 : 200;
            return isRefused ? Task.CompletedTask : next(context);
        })),
        new(Mark + "redirects a.txt", static app => app.Use(static (context, next) =>
        {
            if (context.Request.Path != "/a.txt")
            {
                return next(context);
            }

            context.Response.Redirect("/index.html");
            return Task.CompletedTask;
        })),
        new(Mark + "rewrites paths", static app => app.Use(static (context, next) =>
        {
            context.Request.Path = context.Request.Path.Value switch
            {
                "/a.txt" => "/private/secret.txt",
                "/x.txt" => "/index.html",
                _ => context.Request.Path,
            };
            return next(context);
        })),
        new(Mark + "adds a field", static app => app.Use(static (context, next) =>
        {
            context.Response.Headers["X-Added"] = "by a middleware";
            return next(context);
        })),
        new(Mark + "UseRewriter", static app => app.UseRewriter(new RewriteOptions()
            .AddRewrite("^a\\.txt$", "index.html", skipRemainingRules: true).AddRedirect("^docs/a(.*)", "sub/$1"))),
        new(Mark + "UsePathBase", static app => app.UsePathBase("/private")),
        new(Mark + "Map", static app => app.Map("/docs", static branch => branch.Run(static context => context.Response.WriteAsync("branch")))),
        new(Mark + "MapWhen", static app => app.MapWhen(
            static context => context.Request.Query.ContainsKey("branch"),
            static branch => branch.Run(static context => context.Response.WriteAsync("branch")))),
        new(Mark + "UseWhen", static app => app.UseWhen(
            static context => context.Request.Path.StartsWithSegments("/sub"), static branch => branch.Use(static (context, next) =>
            {
                context.Response.Headers["X-Branch"] = "sub";
                return next(context);
            }))),
        new(Mark + "UseResponseCompression", static app => app.UseResponseCompression()),
        new(Mark + "UseForwardedHeaders", static app => app.UseForwardedHeaders(
            new ForwardedHeadersOptions { ForwardedHeaders = ForwardedHeaders.All })),
        new(Mark + "UseHttpMethodOverride", static app => app.UseHttpMethodOverride()),
        new(Mark + "UseCors of a policy", static app => app.UseCors(GeneratedConvention.Cors),
            static context => context.Request.Headers.Origin.Count > 0),
    ];

    /// <summary>Adds it so that it is counted where it acts.</summary>
    internal void AddTo(IApplicationBuilder app) => app.Use(next =>
    {
        IApplicationBuilder branch = app.New();
        if (app.Properties.TryGetValue(RouteBuilder, out object? routes))
        {
            branch.Properties[RouteBuilder] = routes;
        }

        Configure(branch);
        branch.Run(context => PassOnAsync(context, next));
        RequestDelegate with = branch.Build();
        return async context =>
        {
            context.Items[this] = Seen.Of(context);
            MarkingContextFactory.Enter(context, Name);
            await with(context);
        };
    });

    public override string ToString() => Name;

    private Task PassOnAsync(HttpContext context, RequestDelegate next)
    {
        if (Seen.Of(context).Equals(context.Items[this]) && ActsLater?.Invoke(context) != true)
        {
            MarkingContextFactory.Leave(context, Name);
        }

        return next(context);
    }

    private sealed record Seen(
        string Method, string Path, string PathBase, string Scheme, string Host, string Query, int FieldCount, Type? Body, string? Address)
    {
        internal static Seen Of(HttpContext context) => new(
            context.Request.Method, context.Request.Path, context.Request.PathBase, context.Request.Scheme, context.Request.Host.Value ?? "",
            context.Request.QueryString.Value ?? "", context.Response.Headers.Count, context.Features.Get<IHttpResponseBodyFeature>()?.GetType(),
            context.Connection.RemoteIpAddress?.ToString());
    }
}

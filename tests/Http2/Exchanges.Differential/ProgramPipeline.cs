using System.Globalization;
using System.Threading.RateLimiting;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.HttpLogging;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>The usual middleware of ASP.NET Core, each for the requests that ask for it.</summary>
internal static class ProgramPipeline
{
    private const int FarAboveLanes = 1000;

    /// <summary>Each in half of the programs; the exception page shows bytes as they are, so that it stands without compression.</summary>
    internal static ProgramMiddleware Draw(HandlerProgram program)
    {
        // Another sequence than the one that makes the program.
        var drawn = (ProgramMiddleware)new Random(~program.Seed).Next(256);
        if (program.UsesLate)
        {
            // Its response stream writes to a pooled context, which is another request's by then, or nobody's: a matter of time.
            drawn &= ~ProgramMiddleware.Logging;
        }

        return drawn.HasFlag(ProgramMiddleware.ExceptionPage) ? drawn & ~ProgramMiddleware.Compression : drawn;
    }

    internal static void AddServices(IServiceCollection services)
        => services
            .AddHttpLogging(static options =>
            {
                options.LoggingFields = HttpLoggingFields.All;
                options.RequestBodyLogLimit = options.ResponseBodyLogLimit = 5000;
            })
            .AddResponseCompression(static options => options.EnableForHttps = true)
            .AddCors()
            .AddRateLimiter(static options => options.GlobalLimiter = PartitionedRateLimiter.Create<HttpContext, int>(
                static _ => RateLimitPartition.GetConcurrencyLimiter(0, static _ => new ConcurrencyLimiterOptions { PermitLimit = FarAboveLanes })))
            .AddRequestTimeouts(static options => options.DefaultPolicy = new RequestTimeoutPolicy { Timeout = TimeSpan.FromMinutes(1) })
            .AddOutputCache(static options => options.AddBasePolicy(static policy => policy.Expire(TimeSpan.FromDays(1))));

    internal static void Use(WebApplication app)
    {
        UseFor(app, ProgramMiddleware.ExceptionHandler, static branch => branch.UseExceptionHandler(static failed => failed.Run(static context =>
        {
            Exception exception = context.Features.GetRequiredFeature<IExceptionHandlerFeature>().Error;
            return context.Response.WriteAsync($"handled {ProgramSession.Describe(exception)}");
        })));
        UseFor(app, ProgramMiddleware.ExceptionPage, static branch => branch.UseDeveloperExceptionPage());
        UseFor(app, ProgramMiddleware.Logging, static branch => branch.UseHttpLogging());
        UseFor(app, ProgramMiddleware.Compression, static branch => branch.UseResponseCompression().Use(static (context, next) =>
        {
            context.Response.ContentType = "text/plain";
            return next(context);
        }));
        UseFor(app, ProgramMiddleware.Cors, static branch => branch.UseCors(static policy => policy.AllowAnyOrigin().WithExposedHeaders("X-One")));
        UseFor(app, ProgramMiddleware.RateLimiter, static branch => branch.UseRateLimiter());
        UseFor(app, ProgramMiddleware.Timeouts, static branch => branch.UseRequestTimeouts());
        UseFor(app, ProgramMiddleware.Cache, static branch => branch.UseOutputCache());
    }

    private static void UseFor(WebApplication app, ProgramMiddleware middleware, Action<IApplicationBuilder> use)
        => app.UseWhen(
            context => int.TryParse(context.Request.Query["m"], CultureInfo.InvariantCulture, out int asked) && ((ProgramMiddleware)asked).HasFlag(middleware),
            use);
}

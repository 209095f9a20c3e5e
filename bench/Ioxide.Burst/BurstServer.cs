using System.Net;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace Ioxide.Burst;

/// <summary>The server under attack: it has no limit of time, so that what is measured is what the transport keeps.</summary>
internal static class BurstServer
{
    internal const int ConnectionLimit = 20;

    private const int LargeBytes = 4 * 1024 * 1024;
    private const int PieceBytes = 64 * 1024;

    internal static async Task RunAsync(string transport)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(options =>
        {
            options.Limits.MinRequestBodyDataRate = null;
            options.Limits.MinResponseDataRate = null;
            options.Limits.MaxRequestBodySize = null;
            options.Limits.RequestHeadersTimeout = TimeSpan.FromMinutes(10);
            options.Limits.MaxConcurrentConnections = Environment.GetEnvironmentVariable("BURST_LIMITED") == "1" ? ConnectionLimit : null;
            options.Listen(IPAddress.Loopback, 0);
        });
        if (transport == "ioxide")
        {
            builder.WebHost.UseIoxide(options => options.RequireIoUring = true);
        }

        WebApplication app = builder.Build();
        app.MapGet("/ok", () => "ok");
        app.MapGet("/large", async context =>
        {
            context.Response.ContentLength = LargeBytes;
            byte[] piece = new byte[PieceBytes];
            for (int sent = 0; sent < LargeBytes; sent += PieceBytes)
            {
                await context.Response.Body.WriteAsync(piece, context.RequestAborted);
            }
        });
        // A transport that has paused its receiving does not see that the client has gone, so the handlers are told.
        var released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        app.MapPost("/hold", async context => await released.Task);
        app.MapGet("/release", () => released.TrySetResult());
        app.MapGet("/live", () =>
        {
            for (int round = 0; round < 3; round++)
            {
                GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);
                GC.WaitForPendingFinalizers();
            }

            return GC.GetTotalMemory(forceFullCollection: false);
        });
        await app.StartAsync();
        IServerAddressesFeature addresses = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!;
        Console.WriteLine(addresses.Addresses.Single());

        // The parent ends it by closing its input.
        await Console.In.ReadToEndAsync();
        await app.StopAsync();
    }
}

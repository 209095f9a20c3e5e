using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace Ioxide.Handshakes;

/// <summary>Kestrel with one HTTPS endpoint and its defaults: <c>stock</c> is sockets and SslStream, <c>ioxide</c> the ring.</summary>
internal static class HandshakeServer
{
    internal static async Task RunAsync(string side, string key)
    {
        using X509Certificate2 certificate = BenchCertificates.Make(key);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseKestrelHttpsConfiguration();
        if (side == "ioxide")
        {
            builder.WebHost.UseIoxide(options => options.RequireIoUring = true);
            builder.WebHost.UseIoxideTlsForHttps();
        }

        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, listen => listen.UseHttps(certificate)));
        WebApplication app = builder.Build();
        app.MapGet("/ok", () => "ok");
        await app.StartAsync();
        IServerAddressesFeature addresses = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!;
        Console.WriteLine(addresses.Addresses.Single());

        // The parent ends it by closing its input.
        await Console.In.ReadToEndAsync();
        await app.StopAsync();
    }
}

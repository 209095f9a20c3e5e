using System.Net;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ioxide.AspNetCore;
using Ioxide.Tls;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;

namespace Ioxide.BlockedHost;

/// <summary>What the packages offer, in one application, so that a call that is refused is missed by whatever needs it.</summary>
/// <remarks>
/// Files below <c>/files</c> (<c>small.txt</c> and <c>large.bin</c>, of <see cref="LargeBytes"/> bytes that count up),
/// <c>/upload</c>, which answers with the SHA-256 of what it got, <c>/timer</c>, which answers after a delay; all over HTTPS too.
/// </remarks>
internal sealed class Everything : IDisposable
{
    private const int LargeBytes = 1_500_000;

    private static readonly TimeSpan s_delay = TimeSpan.FromMilliseconds(20);

    private readonly bool _isStock;
    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-").FullName;
    private readonly X509Certificate2 _certificate = MakeCertificate();

    private readonly string? _tlsOption;

    /// <summary>Makes the files, which a refused call must not keep it from.</summary>
    /// <param name="isStock">Without Ioxide.</param>
    /// <param name="tlsOption">The option of TLS that is set: EnabledSslProtocols, KernelOffload, or null.</param>
    internal Everything(bool isStock, string? tlsOption)
    {
        _isStock = isStock;
        _tlsOption = tlsOption;
        File.WriteAllText(Path.Join(_folder, "small.txt"), "small");
        byte[] large = new byte[LargeBytes];
        for (int index = 0; index < large.Length; index++)
        {
            large[index] = (byte)(index % 251);
        }

        File.WriteAllBytes(Path.Join(_folder, "large.bin"), large);

        // Leads out of the folder, and must not be followed whatever is refused.
        File.CreateSymbolicLink(Path.Join(_folder, "secret.txt"), "/etc/passwd");
    }

    public void Dispose()
    {
        _certificate.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    internal void Add(WebApplicationBuilder builder)
    {
        if (!_isStock)
        {
            builder.Services.AddIoxideFiles();
        }
    }

    internal void Listen(KestrelServerOptions kestrel)
        => kestrel.Listen(IPAddress.Loopback, 0, listen =>
        {
            if (_isStock)
            {
                listen.UseHttps(_certificate);
            }
            else
            {
                listen.UseIoxideTls(
                    https =>
                    {
                        https.ServerCertificate = _certificate;
                        https.OnAuthenticate = (_, ssl) =>
                            ssl.EnabledSslProtocols = _tlsOption == nameof(ssl.EnabledSslProtocols) ? SslProtocols.Tls12 : SslProtocols.None;
                    },
                    tls => tls.KernelOffload = _tlsOption == nameof(tls.KernelOffload) ? TlsKernelOffload.Require : TlsKernelOffload.Auto);
            }
        });

    internal void Map(WebApplication app)
    {
        app.MapPost("/upload", async context =>
        {
            byte[] hash = await SHA256.HashDataAsync(context.Request.Body);
            await context.Response.WriteAsync(Convert.ToHexString(hash));
        });
        app.MapGet("/timer", async context =>
        {
            if (context.Features.Get<IReactorFeature>() is { } feature)
            {
                await feature.Reactor.DelayAsync(s_delay);
            }
            else
            {
                await Task.Delay(s_delay);
            }

            await context.Response.WriteAsync("rang");
        });
        if (_isStock)
        {
            app.UseStaticFiles(new StaticFileOptions
            {
                FileProvider = new PhysicalFileProvider(_folder),
                RequestPath = "/files",
                ServeUnknownFileTypes = true,
            });
        }
        else
        {
            app.MapIoxideFiles("/files", _folder);
        }
    }

    private static X509Certificate2 MakeCertificate()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
    }
}

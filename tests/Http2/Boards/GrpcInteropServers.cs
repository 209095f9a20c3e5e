using System.IO.Compression;
using System.Security.Cryptography.X509Certificates;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>The servers that gRPC's interop cases are played to, in clear text and under TLS. They start with the first case.</summary>
public sealed class GrpcInteropServers : IAsyncDisposable
{
    private readonly Lazy<Task<Side[]>> _servers = new(StartAllAsync);

    internal Board Board { get; } = new("GrpcInterop", "stock");

    internal async Task<IEnumerable<Side>> AllAsync(bool isTls) => (await _servers.Value).Where(server => server.IsTls == isTls);

    public async ValueTask DisposeAsync()
    {
        Board.Dispose();
        if (_servers.IsValueCreated && _servers.Value.IsCompletedSuccessfully)
        {
            foreach (Side server in await _servers.Value)
            {
                await server.DisposeAsync();
            }
        }
    }

    /// <summary>A server that ends each call well and says nothing.</summary>
    internal static Task<Side> StartWrongAsync()
        => StartAsync("wrong", isTls: false, new Http2Setup
        {
            Handler = static context =>
            {
                context.Response.ContentType = "application/grpc";
                context.Response.AppendTrailer("grpc-status", "0");
                return Task.CompletedTask;
            },
        });

    private static async Task<Side[]> StartAllAsync()
    {
        X509Certificate2 certificate = CertificateMaker.SelfSigned();
        List<Side> sides = [];
        foreach (bool isTls in new[] { false, true })
        {
            sides.Add(await StartAsync("stock", isTls, Serving(new Http2Setup
            {
                IsEngine = false,
                Listen = listen => _ = isTls ? listen.UseHttps(certificate) : listen,
            })));
            sides.Add(await StartAsync("ioxide", isTls, Serving(new Http2Setup
            {
                IsEngine = false,
                IsTransport = true,
                Listen = listen => _ = isTls ? listen.UseIoxideTls(certificate) : listen,
            })));
            sides.Add(await StartAsync("engine", isTls, Serving(new Http2Setup
            {
                Listen = listen => _ = isTls ? listen.UseIoxideTls(certificate) : listen,
            })));
        }

        return [.. sides];
    }

    private static Http2Setup Serving(Http2Setup setup) => setup with
    {
        // A call that is given up is an error to the library.
        ExpectsErrors = true,
        Services = static services =>
        {
            services.AddGrpc(static options =>
            {
                options.ResponseCompressionAlgorithm = "gzip";
                options.ResponseCompressionLevel = CompressionLevel.Fastest;
            });
            services.AddSingleton<GrpcInteropService>();
        },
        Map = static app =>
        {
            app.Use(GrpcInteropService.NoteFlagsAsync);
            app.MapGrpcService<GrpcInteropService>();
        },
    };

    private static async Task<Side> StartAsync(string name, bool isTls, Http2Setup setup)
    {
        Http2Host host = await Http2Host.StartAsync(setup);
        return new Side(name, isTls, host, new GrpcInteropClient(new Uri($"{(isTls ? "https" : "http")}://127.0.0.1:{host.EndPoint.Port}")));
    }

    internal sealed record Side(string Name, bool IsTls, Http2Host Host, GrpcInteropClient Client) : IAsyncDisposable
    {
        /// <summary>Plays a case.</summary>
        internal async Task<Verdict> PlayAsync(string name)
        {
            try
            {
                await GrpcInteropCases.All[name](Client);
                return Verdict.Pass("as described");
            }
            catch (Exception exception) when (exception is RpcException or TimeoutException or Xunit.Sdk.XunitException)
            {
                return Verdict.Fail(exception.Message.ReplaceLineEndings(" "));
            }
        }

        public async ValueTask DisposeAsync()
        {
            Client.Dispose();
            await Host.DisposeAsync();
        }
    }
}

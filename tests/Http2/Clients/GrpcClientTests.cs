using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Grpc.Core;
using Grpc.Health.V1;
using Grpc.Net.Client;
using Grpc.Reflection.V1Alpha;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Server.Kestrel.Https;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ioxide.Http2.Tests;

/// <summary>What applications use of gRPC beside plain calls: deadlines on both sides, compression, health, reflection, client certificates.</summary>
public class GrpcClientTests
{
    private const int Calls = 20;
    private const int TwentyMegabytes = 20 * 1024 * 1024;

    /// <summary>A client that keeps no deadline itself: each answer is the server's.</summary>
    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task ADeadlineOfTheServerHasItsStatus(bool isEngine, bool isTls)
    {
        EchoService service = new();
        await using Http2Host host = await StartAsync(isEngine, isTls, service);
        using FrameClient client = await FrameClient.ConnectAsync(host.EndPoint, [], isTls);
        for (int streamId = 1; streamId < 2 * Calls; streamId += 2)
        {
            await client.SendAsync(FrameClient.Headers(
                streamId, ends: false,
                (":method", "POST"),
                (":scheme", isTls ? "https" : "http"),
                (":path", "/ioxide.Echo/Echo"),
                (":authority", "localhost"),
                ("content-type", "application/grpc"),
                ("te", "trailers"),
                ("grpc-timeout", "100m")));
        }

        for (int answered = 0; answered < Calls;)
        {
            Frame? frame = await client.ReadAsync();
            Assert.NotNull(frame);
            if (frame is { Type: Http2FrameType.Headers, EndsStream: true })
            {
                Assert.Equal("4", frame["grpc-status"]);
                answered++;
            }
        }
    }

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task ADeadlineOfTheClientEndsBothSidesOfAStream(bool isEngine, bool isTls)
    {
        EchoService service = new();
        await using Http2Host host = await StartAsync(isEngine, isTls, service);
        using GrpcChannel channel = Connect(host, isTls);
        byte[] message = new byte[1000];
        BitConverter.TryWriteBytes(message, int.MaxValue);

        // Over a connection that is there, so that the call arrives before its deadline.
        Assert.Equal([7], await UnaryAsync(channel, [7]));
        CallOptions options = new(deadline: DateTime.UtcNow.AddSeconds(1));
        CallInvoker invoker = channel.CreateCallInvoker();
        using AsyncServerStreamingCall<byte[]> call = invoker.AsyncServerStreamingCall(EchoService.RepeatMethod, null, options, message);
        RpcException error = await Assert.ThrowsAsync<RpcException>(async () =>
        {
            while (await call.ResponseStream.MoveNext().Within(30.Seconds()))
            {
                Assert.Equal(message, call.ResponseStream.Current);
            }
        });

        // The server counts the same deadline. A client whose timer is late, as on a busy machine, sees the reset of the stream in a message,
        // and names it by where it met it.
        Assert.Contains(error.StatusCode, new[] { StatusCode.DeadlineExceeded, StatusCode.Unavailable, StatusCode.Internal });
        await service.Cancelled.Task.Within(30.Seconds());
    }

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task ACallThatIsCancelledEndsItsHandler(bool isEngine, bool isTls)
    {
        EchoService service = new();
        await using Http2Host host = await StartAsync(isEngine, isTls, service);
        using GrpcChannel channel = Connect(host, isTls);
        using CancellationTokenSource source = new();
        CallOptions options = new(new Metadata { { "ask", "wait" } }, cancellationToken: source.Token);
        using AsyncUnaryCall<byte[]> call = channel.CreateCallInvoker().AsyncUnaryCall(EchoService.UnaryMethod, null, options, [1]);
        await service.Waiting.Task.Within(30.Seconds());
        await source.CancelAsync();
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync.Within(30.Seconds()));
        Assert.Equal(StatusCode.Cancelled, error.StatusCode);
        await service.Cancelled.Task.Within(30.Seconds());
        Assert.Equal([7], await UnaryAsync(channel, [7]));
    }

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task TwentyMegabytesGoBothWaysByGzip(bool isEngine, bool isTls)
    {
        await using Http2Host host = await StartAsync(isEngine, isTls, new EchoService());
        using GrpcChannel channel = Connect(host, isTls);
        byte[] message = new byte[TwentyMegabytes];
        RandomNumberGenerator.Fill(message.AsSpan(0, 2_000_000));
        RandomNumberGenerator.Fill(message.AsSpan(message.Length - 10));
        Task<byte[]>[] others = [.. Enumerable.Range(0, 20).Select(number => UnaryAsync(channel, [(byte)number]))];
        Assert.Equal(message, await UnaryAsync(channel, message, ("grpc-internal-encoding-request", "gzip")));
        Assert.Equal(Enumerable.Range(0, 20).Select(static number => (byte)number), (await Task.WhenAll(others)).Select(static answer => answer[0]));
    }

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task HealthIsToldAndWatched(bool isEngine, bool isTls)
    {
        await using Http2Host host = await StartAsync(isEngine, isTls, new EchoService());
        using GrpcChannel channel = Connect(host, isTls);
        Health.HealthClient client = new(channel);
        HealthCheckResponse told = await client.CheckAsync(new HealthCheckRequest()).ResponseAsync.Within(30.Seconds());
        Assert.Equal(HealthCheckResponse.Types.ServingStatus.Serving, told.Status);
        RpcException error = await Assert.ThrowsAsync<RpcException>(
            () => client.CheckAsync(new HealthCheckRequest { Service = "other" }).ResponseAsync.Within(30.Seconds()));
        Assert.Equal(StatusCode.NotFound, error.StatusCode);
        using AsyncServerStreamingCall<HealthCheckResponse> watch = client.Watch(new HealthCheckRequest());
        Assert.True(await watch.ResponseStream.MoveNext(default).Within(30.Seconds()));
        Assert.Equal(HealthCheckResponse.Types.ServingStatus.Serving, watch.ResponseStream.Current.Status);
    }

    [Theory, MemberData(nameof(Sides.All), MemberType = typeof(Sides))]
    public async Task ServicesAreListedByReflection(bool isEngine, bool isTls)
    {
        await using Http2Host host = await StartAsync(isEngine, isTls, new EchoService());
        using GrpcChannel channel = Connect(host, isTls);
        using var call = new ServerReflection.ServerReflectionClient(channel).ServerReflectionInfo();
        await call.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" }).Within(30.Seconds());
        Assert.True(await call.ResponseStream.MoveNext(default).Within(30.Seconds()));
        Assert.Contains(call.ResponseStream.Current.ListServicesResponse.Service, static service => service.Name == "grpc.health.v1.Health");
        await call.RequestStream.WriteAsync(new ServerReflectionRequest { FileContainingSymbol = "grpc.health.v1.Health" }).Within(30.Seconds());
        Assert.True(await call.ResponseStream.MoveNext(default).Within(30.Seconds()));
        Assert.NotEmpty(call.ResponseStream.Current.FileDescriptorResponse.FileDescriptorProto);
        await call.RequestStream.CompleteAsync().Within(30.Seconds());
        Assert.False(await call.ResponseStream.MoveNext(default).Within(30.Seconds()));
    }

    [Theory, AllValues]
    public async Task AServiceSeesTheCertificateOfItsClient(bool isEngine)
    {
        await using Http2Host host = await StartAsync(isEngine, isTls: true, new EchoService(), static https =>
        {
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            https.ClientCertificateValidation = static (certificate, _, _) => certificate.Subject == "CN=client";
        });
        using X509Certificate2 certificate = CertificateMaker.SelfSigned("CN=client");
        using GrpcChannel channel = Connect(host, isTls: true, certificate);
        Assert.Equal("CN=client"u8.ToArray(), await UnaryAsync(channel, [1], ("ask", "certificate")));
        using X509Certificate2 wrong = CertificateMaker.SelfSigned("CN=other");
        foreach (X509Certificate2? other in (IEnumerable<X509Certificate2?>)[wrong, null])
        {
            using GrpcChannel refused = Connect(host, isTls: true, other);
            RpcException error = await Assert.ThrowsAsync<RpcException>(() => UnaryAsync(refused, [1]));
            Assert.Contains(error.StatusCode, (IEnumerable<StatusCode>)[StatusCode.Unavailable, StatusCode.Internal]);
        }
    }

    private static Task<Http2Host> StartAsync(bool isEngine, bool isTls, EchoService service, Action<HttpsConnectionAdapterOptions>? https = null)
        => Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Services = services =>
            {
                _ = services.AddGrpc(static options =>
                {
                    options.MaxReceiveMessageSize = null;
                    options.ResponseCompressionAlgorithm = "gzip";
                    options.ResponseCompressionLevel = System.IO.Compression.CompressionLevel.Fastest;
                });
                _ = services.AddGrpcReflection();
                _ = services.AddGrpcHealthChecks().AddCheck("always", static () => HealthCheckResult.Healthy());
                _ = services.Configure<HealthCheckPublisherOptions>(static options => options.Delay = TimeSpan.Zero);
                _ = services.AddSingleton(service);
            },
            Map = static app =>
            {
                _ = app.MapGrpcService<EchoService>();
                _ = app.MapGrpcHealthChecksService();
                _ = app.MapGrpcReflectionService();
            },
            Kestrel = static kestrel => kestrel.Limits.MaxRequestBodySize = null,
        }.On(isEngine, isTls, https));

    private static GrpcChannel Connect(Http2Host host, bool isTls, X509Certificate2? certificate = null)
        => GrpcChannel.ForAddress(
            host.Address(isTls),
            new GrpcChannelOptions { HttpHandler = Sides.Handler(certificate), MaxReceiveMessageSize = null, DisposeHttpClient = true });

    private static async Task<byte[]> UnaryAsync(GrpcChannel channel, byte[] message, params (string Name, string Value)[] headers)
    {
        Metadata metadata = [];
        foreach ((string name, string value) in headers)
        {
            metadata.Add(name, value);
        }

        CallInvoker invoker = channel.CreateCallInvoker();
        using AsyncUnaryCall<byte[]> call = invoker.AsyncUnaryCall(EchoService.UnaryMethod, null, new CallOptions(metadata), message);
        return await call.ResponseAsync.Within(60.Seconds());
    }
}

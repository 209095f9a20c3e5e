using System.Security.Cryptography;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>Grpc.AspNetCore and Grpc.Net.Client, unchanged, over the engine; and over stock Kestrel, so that the tests are right.</summary>
public class GrpcTests
{
    private const int FourMegabytes = 4 * 1024 * 1024;

    [Theory]
    [InlineData(true, 0)]
    [InlineData(true, 1)]
    [InlineData(true, 16_379)]
    [InlineData(true, 65_536)]
    [InlineData(true, FourMegabytes)]
    [InlineData(false, FourMegabytes)]
    public async Task AUnaryCallIsAnswered(bool isEngine, int length)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        byte[] message = RandomNumberGenerator.GetBytes(length);
        Assert.Equal(message, await host.UnaryAsync(message));
    }

    [Theory, AllValues]
    public async Task HeadersAndTrailersArrive(bool isEngine)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        using AsyncUnaryCall<byte[]> call = host.Unary([1], ("ask", "describe"), ("say", "hello"));
        Assert.Equal("hello", (await call.ResponseHeadersAsync.Within(30.Seconds())).GetValue("said"));
        Assert.Equal([1], await call.ResponseAsync.Within(30.Seconds()));
        Assert.Equal([0, 255, 128], call.GetTrailers().GetValueBytes("data-bin")!);
        Assert.Equal(StatusCode.OK, call.GetStatus().StatusCode);
    }

    /// <summary>The answer is trailers only: fields that end their stream.</summary>
    [Theory]
    [InlineData(true, "fail", StatusCode.FailedPrecondition, "asked to fail: \u00e4 %")]
    [InlineData(false, "fail", StatusCode.FailedPrecondition, "asked to fail: \u00e4 %")]
    [InlineData(true, "throw", StatusCode.Unknown, "Exception was thrown by handler.")]
    [InlineData(false, "throw", StatusCode.Unknown, "Exception was thrown by handler.")]
    public async Task ACallThatFailsHasItsStatus(bool isEngine, string ask, StatusCode code, string detail)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        using AsyncUnaryCall<byte[]> call = host.Unary([1], ("ask", ask));
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync.Within(30.Seconds()));
        Assert.Equal((code, detail), (error.StatusCode, error.Status.Detail));
        Assert.Equal(ask == "fail" ? "asked" : null, error.Trailers.GetValue("why"));
    }

    [Theory, AllValues]
    public async Task AMessageAboveTheLimitIsRefusedAndTheConnectionServesOn(bool isEngine)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => host.UnaryAsync(new byte[FourMegabytes + 1]));
        Assert.Equal(StatusCode.ResourceExhausted, error.StatusCode);
        Assert.Equal([7], await host.UnaryAsync([7]));
    }

    [Theory, AllValues]
    public async Task AMethodThatIsNotThereIsUnimplemented(bool isEngine)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        Method<byte[], byte[]> other = new(
            MethodType.Unary, "ioxide.Echo", "Other", EchoService.UnaryMethod.RequestMarshaller, EchoService.UnaryMethod.ResponseMarshaller);
        using AsyncUnaryCall<byte[]> call = host.Invoker.AsyncUnaryCall(other, null, default, [1]);
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync.Within(30.Seconds()));
        Assert.Equal(StatusCode.Unimplemented, error.StatusCode);
    }

    [Theory]
    [InlineData(true, 4, 3_000)]
    [InlineData(true, 100_000, 100)]
    [InlineData(false, 100_000, 100)]
    public async Task AServerStreamsItsMessagesInOrder(bool isEngine, int length, int count)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        byte[] message = RandomNumberGenerator.GetBytes(length);
        BitConverter.TryWriteBytes(message, count);
        using AsyncServerStreamingCall<byte[]> call = host.Invoker.AsyncServerStreamingCall(EchoService.RepeatMethod, null, default, message);
        int received = 0;
        while (await call.ResponseStream.MoveNext().Within(30.Seconds()))
        {
            Assert.Equal(message, call.ResponseStream.Current);
            received++;
        }

        Assert.Equal(count, received);
    }

    [Theory]
    [InlineData(true, 4, 3_000)]
    [InlineData(true, 100_000, 100)]
    [InlineData(false, 100_000, 100)]
    public async Task AClientStreamsItsMessages(bool isEngine, int length, int count)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        using AsyncClientStreamingCall<byte[], byte[]> call = host.Invoker.AsyncClientStreamingCall(EchoService.CountMethod, null, default);
        byte[] message = new byte[length];
        for (int index = 0; index < count; index++)
        {
            await call.RequestStream.WriteAsync(message).Within(30.Seconds());
        }

        await call.RequestStream.CompleteAsync().Within(30.Seconds());
        Assert.Equal((long)length * count, BitConverter.ToInt64(await call.ResponseAsync.Within(30.Seconds())));
    }

    [Theory, AllValues]
    public async Task BothSidesTakeTurns(bool isEngine)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        using AsyncDuplexStreamingCall<byte[], byte[]> call = host.Invoker.AsyncDuplexStreamingCall(EchoService.EchoMethod, null, default);
        for (int length = 0; length < 200; length++)
        {
            byte[] message = new byte[length];
            await call.RequestStream.WriteAsync(message).Within(30.Seconds());
            Assert.True(await call.ResponseStream.MoveNext().Within(30.Seconds()));
            Assert.Equal(message, call.ResponseStream.Current);
        }

        await call.RequestStream.CompleteAsync().Within(30.Seconds());
        Assert.False(await call.ResponseStream.MoveNext().Within(30.Seconds()));
    }

    [Theory, AllValues]
    public async Task ADeadlineEndsTheCallOnBothSides(bool isEngine)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        CallOptions options = new(new Metadata { { "ask", "wait" } }, DateTime.UtcNow.AddMilliseconds(500));
        using AsyncUnaryCall<byte[]> call = host.Invoker.AsyncUnaryCall(EchoService.UnaryMethod, null, options, [1]);
        RpcException error = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync.Within(30.Seconds()));
        Assert.Equal(StatusCode.DeadlineExceeded, error.StatusCode);
        await host.Service.Cancelled.Task.Within(30.Seconds());
        Assert.Equal([7], await host.UnaryAsync([7]));
    }

    [Theory, AllValues]
    public async Task AClientThatGivesUpAStreamEndsItsHandler(bool isEngine)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        byte[] message = new byte[1000];
        BitConverter.TryWriteBytes(message, int.MaxValue);
        using (AsyncServerStreamingCall<byte[]> call = host.Invoker.AsyncServerStreamingCall(EchoService.RepeatMethod, null, default, message))
        {
            Assert.True(await call.ResponseStream.MoveNext().Within(30.Seconds()));
        }

        await host.Service.Cancelled.Task.Within(30.Seconds());
        Assert.Equal([7], await host.UnaryAsync([7]));
    }

    [Theory, AllValues]
    public async Task ManyCallsAtOnceAreEachAnswered(bool isEngine)
    {
        await using GrpcHost host = await GrpcHost.StartAsync(isEngine);
        byte[][] messages = [.. Enumerable.Range(0, 500).Select(static number => BitConverter.GetBytes(number))];
        Assert.Equal(messages, await Task.WhenAll(messages.Select(host.UnaryAsync)));
    }

    private sealed class GrpcHost : IAsyncDisposable
    {
        private readonly Http2Host _host;
        private readonly GrpcChannel _channel;

        private GrpcHost(Http2Host host, EchoService service)
        {
            _host = host;
            Service = service;
            _channel = GrpcChannel.ForAddress(
                $"http://127.0.0.1:{host.EndPoint.Port}",
                new GrpcChannelOptions { HttpHandler = new SocketsHttpHandler { UseProxy = false }, MaxReceiveMessageSize = null, DisposeHttpClient = true });
            Invoker = _channel.CreateCallInvoker();
        }

        internal EchoService Service { get; }

        internal CallInvoker Invoker { get; }

        internal static async Task<GrpcHost> StartAsync(bool isEngine)
        {
            EchoService service = new();
            Http2Host host = await Http2Host.StartAsync(new Http2Setup
            {
                IsEngine = isEngine,
                ExpectsErrors = true,
                Services = services =>
                {
                    services.AddGrpc();
                    services.AddSingleton(service);
                },
                Map = static app => app.MapGrpcService<EchoService>(),
            });
            return new GrpcHost(host, service);
        }

        internal AsyncUnaryCall<byte[]> Unary(byte[] message, params (string Name, string Value)[] headers)
        {
            Metadata metadata = [];
            foreach ((string name, string value) in headers)
            {
                metadata.Add(name, value);
            }

            return Invoker.AsyncUnaryCall(EchoService.UnaryMethod, null, new CallOptions(metadata), message);
        }

        internal async Task<byte[]> UnaryAsync(byte[] message)
        {
            using AsyncUnaryCall<byte[]> call = Unary(message);
            return await call.ResponseAsync.Within(30.Seconds());
        }

        public async ValueTask DisposeAsync()
        {
            _channel.Dispose();
            await _host.DisposeAsync();
        }
    }
}

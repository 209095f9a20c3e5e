using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>Calls of gRPC through YARP: the engine in front of it, behind it, on both sides, and on none.</summary>
[Once]
public class GrpcProxyTests
{
    [Theory, AllValues]
    public async Task EachKindOfCallPasses(bool isEngineInFront, bool isEngineBehind)
    {
        EchoService service = new();
        await using Http2Host behind = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = isEngineBehind,
            ExpectsErrors = true,
            Services = services => services.AddSingleton(service).AddGrpc(),
            Map = static app => app.MapGrpcService<EchoService>(),
        });
        await using Http2Host front = await Http2Host.StartAsync(new Http2Setup
        {
            ExpectsErrors = true,
            Services = services => services.AddReverseProxyTo(behind),
            Map = static app => app.MapReverseProxy(),
        }.On(isEngineInFront, isTls: true));
        using GrpcChannel channel = GrpcChannel.ForAddress(
            front.Address(isTls: true), new GrpcChannelOptions { HttpHandler = Sides.Handler(), DisposeHttpClient = true });
        CallInvoker invoker = channel.CreateCallInvoker();

        byte[] large = new byte[3_000_000];
        Random.Shared.NextBytes(large);
        Assert.Equal(large, await invoker.AsyncUnaryCall(EchoService.UnaryMethod, null, default, large).ResponseAsync.Within(30.Seconds()));
        RpcException failed = await Assert.ThrowsAsync<RpcException>(
            () => invoker.AsyncUnaryCall(EchoService.UnaryMethod, null, Ask("fail"), [1]).ResponseAsync.Within(30.Seconds()));
        Assert.Equal((StatusCode.FailedPrecondition, "asked"), (failed.StatusCode, failed.Trailers.GetValue("why")));
        using AsyncUnaryCall<byte[]> described = invoker.AsyncUnaryCall(EchoService.UnaryMethod, null, Ask("describe"), [1]);
        Assert.Equal([1], await described.ResponseAsync.Within(30.Seconds()));
        Assert.Equal([0, 255, 128], described.GetTrailers().GetValueBytes("data-bin")!);

        using (AsyncDuplexStreamingCall<byte[], byte[]> call = invoker.AsyncDuplexStreamingCall(EchoService.EchoMethod, null, default))
        {
            for (int length = 0; length < 100; length++)
            {
                await call.RequestStream.WriteAsync(new byte[length]).Within(30.Seconds());
                Assert.True(await call.ResponseStream.MoveNext().Within(30.Seconds()));
                Assert.Equal(length, call.ResponseStream.Current.Length);
            }

            await call.RequestStream.CompleteAsync().Within(30.Seconds());
            Assert.False(await call.ResponseStream.MoveNext().Within(30.Seconds()));
        }

        // The client gives up; the handler two hops away ends.
        CallOptions waiting = Ask("wait").WithDeadline(DateTime.UtcNow.AddSeconds(1));
        RpcException late = await Assert.ThrowsAsync<RpcException>(
            () => invoker.AsyncUnaryCall(EchoService.UnaryMethod, null, waiting, [1]).ResponseAsync.Within(30.Seconds()));
        Assert.Equal(StatusCode.DeadlineExceeded, late.StatusCode);
        await service.Cancelled.Task.Within(30.Seconds());
    }

    private static CallOptions Ask(string what) => new(new Metadata { { "ask", what } });
}

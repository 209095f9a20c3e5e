using Grpc.Core;

namespace Ioxide.Http2.Tests;

/// <summary>
/// The cases of gRPC's interop descriptions, by their names. Left out: those that need an account or a token of a cloud, and
/// <c>cacheable_unary</c>, which needs a caching proxy and calls by GET.
/// </summary>
internal static class GrpcInteropCases
{
    private const int RequestBytes = 271_828;
    private const int ResponseBytes = 314_159;
    private const string Compress = "grpc-internal-encoding-request";
    private const int ConcurrentCalls = 200;
    private const int SoakCalls = 200;
    private const int SoakChannels = 20;

    private static readonly WriteOptions s_plain = new(WriteFlags.NoCompress);
    private static readonly int[] s_streamed = [27_182, 8, 1_828, 45_904];
    private static readonly int[] s_answered = [31_415, 9, 2_653, 58_979];

    // Ends of lines, and letters inside and outside of the basic plane.
    private const string SpecialDetail = "\tein Satz\r\nüber \u2603 und \U0001F680, 100 %\n";

    internal static IReadOnlyDictionary<string, Func<GrpcInteropClient, Task>> All { get; } = new Dictionary<string, Func<GrpcInteropClient, Task>>
    {
        ["empty_unary"] = EmptyUnaryAsync,
        ["large_unary"] = LargeUnaryAsync,
        ["client_compressed_unary"] = ClientCompressedUnaryAsync,
        ["server_compressed_unary"] = ServerCompressedUnaryAsync,
        ["client_streaming"] = ClientStreamingAsync,
        ["client_compressed_streaming"] = ClientCompressedStreamingAsync,
        ["server_streaming"] = ServerStreamingAsync,
        ["server_compressed_streaming"] = ServerCompressedStreamingAsync,
        ["ping_pong"] = PingPongAsync,
        ["empty_stream"] = EmptyStreamAsync,
        ["custom_metadata"] = CustomMetadataAsync,
        ["status_code_and_message"] = client => StatusAsync(client, "what the status says"),
        ["special_status_message"] = client => StatusAsync(client, SpecialDetail),
        ["unimplemented_method"] = client => UnimplementedAsync(client, "grpc.testing.TestService"),
        ["unimplemented_service"] = client => UnimplementedAsync(client, "grpc.testing.UnimplementedService"),
        ["cancel_after_begin"] = CancelAfterBeginAsync,
        ["cancel_after_first_response"] = CancelAfterFirstResponseAsync,
        ["timeout_on_sleeping_server"] = TimeoutAsync,
        ["concurrent_large_unary"] = client => Task.WhenAll(Enumerable.Range(0, ConcurrentCalls).Select(_ => LargeUnaryAsync(client))),
        ["rpc_soak"] = client => RepeatAsync(SoakCalls, () => LargeUnaryAsync(client)),
        ["channel_soak"] = client => RepeatAsync(SoakChannels, () => OnNewChannelAsync(client)),
    };

    private static async Task EmptyUnaryAsync(GrpcInteropClient client)
    {
        using AsyncUnaryCall<byte[]> call = client.Invoker.AsyncUnaryCall(GrpcInteropService.EmptyCallMethod, null, default, []);
        Assert.Empty(await call.ResponseAsync.Within(30.Seconds()));
    }

    private static async Task LargeUnaryAsync(GrpcInteropClient client) => AssertZeroes(ResponseBytes, await client.UnaryAsync(Large()));

    private static async Task ClientCompressedUnaryAsync(GrpcInteropClient client)
    {
        await FailsAsync(StatusCode.InvalidArgument, null, () => client.UnaryAsync(Large() with { ExpectsCompressed = true }));
        AssertZeroes(ResponseBytes, await client.UnaryAsync(Large() with { ExpectsCompressed = true }, new Metadata { { Compress, "gzip" } }));
        AssertZeroes(ResponseBytes, await client.UnaryAsync(Large() with { ExpectsCompressed = false }));
    }

    private static async Task ServerCompressedUnaryAsync(GrpcInteropClient client)
    {
        _ = client.TakeFlags();
        foreach (bool isCompressed in new[] { true, false })
        {
            AssertZeroes(ResponseBytes, await client.UnaryAsync(Large() with { IsResponseCompressed = isCompressed }));
            Assert.Equal([isCompressed], client.TakeFlags());
        }
    }

    private static async Task ClientStreamingAsync(GrpcInteropClient client)
    {
        using AsyncClientStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call = client.ClientStream();
        foreach (int lengthBytes in s_streamed)
        {
            await call.RequestStream.WriteAsync(GrpcInteropMessage.Of(lengthBytes)).Within(30.Seconds());
        }

        await call.RequestStream.CompleteAsync().Within(30.Seconds());
        Assert.Equal(s_streamed.Sum(), (await call.ResponseAsync.Within(30.Seconds())).TotalBytes);
    }

    private static async Task ClientCompressedStreamingAsync(GrpcInteropClient client)
    {
        GrpcInteropMessage compressed = GrpcInteropMessage.Of(s_streamed[0]) with { ExpectsCompressed = true };
        GrpcInteropMessage plain = GrpcInteropMessage.Of(s_streamed[^1]) with { ExpectsCompressed = false };
        await FailsAsync(StatusCode.InvalidArgument, null, async () =>
        {
            using AsyncClientStreamingCall<GrpcInteropMessage, GrpcInteropMessage> probe = client.ClientStream();
            await probe.RequestStream.WriteAsync(compressed).Within(30.Seconds());
            await probe.RequestStream.CompleteAsync().Within(30.Seconds());
            await probe.ResponseAsync.Within(30.Seconds());
        });

        using AsyncClientStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call =
            client.ClientStream(new CallOptions(new Metadata { { Compress, "gzip" } }));
        await call.RequestStream.WriteAsync(compressed).Within(30.Seconds());
        call.RequestStream.WriteOptions = s_plain;
        await call.RequestStream.WriteAsync(plain).Within(30.Seconds());
        await call.RequestStream.CompleteAsync().Within(30.Seconds());
        Assert.Equal(s_streamed[0] + s_streamed[^1], (await call.ResponseAsync.Within(30.Seconds())).TotalBytes);
    }

    private static Task ServerStreamingAsync(GrpcInteropClient client)
        => AssertStreamAsync(client, [.. s_answered.Select(static lengthBytes => (lengthBytes, false))]);

    private static Task ServerCompressedStreamingAsync(GrpcInteropClient client) => AssertStreamAsync(client, (31_415, true), (92_653, false));

    private static async Task AssertStreamAsync(GrpcInteropClient client, params (int LengthBytes, bool IsCompressed)[] expected)
    {
        _ = client.TakeFlags();
        using AsyncServerStreamingCall<GrpcInteropMessage> call = client.ServerStream(GrpcInteropMessage.Of(0) with { Responses = expected });
        foreach ((int lengthBytes, _) in expected)
        {
            await AssertNextAsync(lengthBytes, call.ResponseStream);
        }

        Assert.False(await call.ResponseStream.MoveNext().Within(30.Seconds()));
        Assert.Equal(expected.Select(static response => response.IsCompressed), client.TakeFlags());
    }

    private static async Task PingPongAsync(GrpcInteropClient client)
    {
        using AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call = client.Duplex();
        foreach ((int sentBytes, int answeredBytes) in s_streamed.Zip(s_answered))
        {
            await call.RequestStream.WriteAsync(GrpcInteropMessage.Of(sentBytes) with { Responses = [(answeredBytes, false)] }).Within(30.Seconds());
            await AssertNextAsync(answeredBytes, call.ResponseStream);
        }

        await AssertEndAsync(call);
    }

    private static async Task EmptyStreamAsync(GrpcInteropClient client)
    {
        using AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call = client.Duplex();
        await AssertEndAsync(call);
    }

    private static async Task CustomMetadataAsync(GrpcInteropClient client)
    {
        const string initial = "what comes back first";
        byte[] trailing = [0xab, 0, 0xff];
        Metadata metadata = new() { { GrpcInteropService.InitialKey, initial }, { GrpcInteropService.TrailingKey, trailing } };
        using (AsyncUnaryCall<GrpcInteropMessage> unary = client.Unary(Large(), metadata))
        {
            AssertZeroes(ResponseBytes, await unary.ResponseAsync.Within(30.Seconds()));
            Assert.Equal(initial, (await unary.ResponseHeadersAsync.Within(30.Seconds())).GetValue(GrpcInteropService.InitialKey));
            Assert.Equal(trailing, unary.GetTrailers().GetValueBytes(GrpcInteropService.TrailingKey));
        }

        using AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> duplex = client.Duplex(new CallOptions(metadata));
        await duplex.RequestStream.WriteAsync(GrpcInteropMessage.Of(RequestBytes) with { Responses = [(ResponseBytes, false)] }).Within(30.Seconds());
        await AssertNextAsync(ResponseBytes, duplex.ResponseStream);
        await AssertEndAsync(duplex);
        Assert.Equal(initial, (await duplex.ResponseHeadersAsync.Within(30.Seconds())).GetValue(GrpcInteropService.InitialKey));
        Assert.Equal(trailing, duplex.GetTrailers().GetValueBytes(GrpcInteropService.TrailingKey));
    }

    private static async Task StatusAsync(GrpcInteropClient client, string detail)
    {
        GrpcInteropMessage request = GrpcInteropMessage.Of(0) with { Status = new Status(StatusCode.Unknown, detail) };
        await FailsAsync(StatusCode.Unknown, detail, () => client.UnaryAsync(request));
        await FailsAsync(StatusCode.Unknown, detail, async () =>
        {
            using AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call = client.Duplex();
            await call.RequestStream.WriteAsync(request).Within(30.Seconds());
            await AssertEndAsync(call);
        });
    }

    private static Task UnimplementedAsync(GrpcInteropClient client, string service)
        => FailsAsync(StatusCode.Unimplemented, null, async () =>
        {
            using AsyncUnaryCall<byte[]> call = client.Invoker.AsyncUnaryCall(
                GrpcInteropService.DefineEmpty(service, "UnimplementedCall"), null, default, []);
            await call.ResponseAsync.Within(30.Seconds());
        });

    private static Task CancelAfterBeginAsync(GrpcInteropClient client)
        => FailsAsync(StatusCode.Cancelled, null, async () =>
        {
            using CancellationTokenSource cancel = new();
            using AsyncClientStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call =
                client.ClientStream(new CallOptions(cancellationToken: cancel.Token));
            await cancel.CancelAsync();
            await call.ResponseAsync.Within(30.Seconds());
        });

    private static async Task CancelAfterFirstResponseAsync(GrpcInteropClient client)
    {
        using CancellationTokenSource cancel = new();
        using AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call = client.Duplex(new CallOptions(cancellationToken: cancel.Token));
        await call.RequestStream.WriteAsync(GrpcInteropMessage.Of(s_streamed[0]) with { Responses = [(s_answered[0], false)] }).Within(30.Seconds());
        await AssertNextAsync(s_answered[0], call.ResponseStream);
        await cancel.CancelAsync();
        await FailsAsync(StatusCode.Cancelled, null, () => call.ResponseStream.MoveNext().Within(30.Seconds()));

        // The connection serves on.
        await LargeUnaryAsync(client);
    }

    private static async Task TimeoutAsync(GrpcInteropClient client)
    {
        await FailsAsync(StatusCode.DeadlineExceeded, null, async () =>
        {
            using AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call = client.Duplex(
                new CallOptions(deadline: DateTime.UtcNow.AddMilliseconds(1)));
            try
            {
                await call.RequestStream.WriteAsync(GrpcInteropMessage.Of(s_streamed[0])).Within(30.Seconds());
            }
            catch (Exception exception) when (exception is InvalidOperationException or RpcException { StatusCode: StatusCode.DeadlineExceeded })
            {
                // It is over before the message is out; the status below counts.
            }

            await call.ResponseStream.MoveNext().Within(30.Seconds());
        });
        await LargeUnaryAsync(client);
    }

    private static async Task OnNewChannelAsync(GrpcInteropClient client)
    {
        using GrpcInteropClient other = client.Again();
        await LargeUnaryAsync(other);
    }

    private static async Task RepeatAsync(int count, Func<Task> act)
    {
        for (int index = 0; index < count; index++)
        {
            await act();
        }
    }

    private static GrpcInteropMessage Large() => GrpcInteropMessage.Of(RequestBytes) with { ResponseBytes = ResponseBytes };

    private static void AssertZeroes(int lengthBytes, GrpcInteropMessage message)
    {
        Assert.Equal(lengthBytes, message.Payload.Length);
        Assert.False(message.Payload.AsSpan().ContainsAnyExcept((byte)0));
    }

    private static async Task AssertNextAsync(int lengthBytes, IAsyncStreamReader<GrpcInteropMessage> responses)
    {
        Assert.True(await responses.MoveNext().Within(30.Seconds()));
        AssertZeroes(lengthBytes, responses.Current);
    }

    private static async Task AssertEndAsync(AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> call)
    {
        await call.RequestStream.CompleteAsync().Within(30.Seconds());
        Assert.False(await call.ResponseStream.MoveNext().Within(30.Seconds()));
        Assert.Equal(StatusCode.OK, call.GetStatus().StatusCode);
    }

    private static async Task FailsAsync(StatusCode code, string? detail, Func<Task> act)
    {
        RpcException error = await Assert.ThrowsAsync<RpcException>(act);
        Assert.Equal(code, error.StatusCode);
        if (detail is not null)
        {
            Assert.Equal(detail, error.Status.Detail);
        }
    }
}

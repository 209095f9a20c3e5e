using System.Diagnostics.CodeAnalysis;
using Grpc.Core;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2.Tests;

/// <summary>The test service of gRPC's interop descriptions, bound by hand. Methods are found by the names of the calls.</summary>
[BindServiceMethod(typeof(GrpcInteropService), nameof(Bind))]
[SuppressMessage("Performance", "CA1852", Justification = "The binder finds virtual methods only.")]
internal class GrpcInteropService
{
    internal const string InitialKey = "x-grpc-test-echo-initial";
    internal const string TrailingKey = "x-grpc-test-echo-trailing-bin";

    internal static readonly Method<byte[], byte[]> EmptyCallMethod = DefineEmpty("grpc.testing.TestService", "EmptyCall");
    internal static readonly Method<GrpcInteropMessage, GrpcInteropMessage> UnaryCallMethod = Define(MethodType.Unary, "UnaryCall");
    internal static readonly Method<GrpcInteropMessage, GrpcInteropMessage> StreamingInputCallMethod =
        Define(MethodType.ClientStreaming, "StreamingInputCall");
    internal static readonly Method<GrpcInteropMessage, GrpcInteropMessage> StreamingOutputCallMethod =
        Define(MethodType.ServerStreaming, "StreamingOutputCall");
    internal static readonly Method<GrpcInteropMessage, GrpcInteropMessage> FullDuplexCallMethod =
        Define(MethodType.DuplexStreaming, "FullDuplexCall");

    // Flags of a call's messages, as they came.
    private static readonly object s_flagsKey = new();

    public static void Bind(ServiceBinderBase binder, GrpcInteropService? service)
    {
        binder.AddMethod(EmptyCallMethod, service is null ? null! : new UnaryServerMethod<byte[], byte[]>(service.EmptyCall));
        binder.AddMethod(UnaryCallMethod, service is null ? null! : new UnaryServerMethod<GrpcInteropMessage, GrpcInteropMessage>(service.UnaryCall));
        binder.AddMethod(
            StreamingInputCallMethod,
            service is null ? null! : new ClientStreamingServerMethod<GrpcInteropMessage, GrpcInteropMessage>(service.StreamingInputCall));
        binder.AddMethod(
            StreamingOutputCallMethod,
            service is null ? null! : new ServerStreamingServerMethod<GrpcInteropMessage, GrpcInteropMessage>(service.StreamingOutputCall));
        binder.AddMethod(
            FullDuplexCallMethod,
            service is null ? null! : new DuplexStreamingServerMethod<GrpcInteropMessage, GrpcInteropMessage>(service.FullDuplexCall));
    }

    /// <summary>A method that the service does not have, or of a service that is not there.</summary>
    internal static Method<byte[], byte[]> DefineEmpty(string service, string name)
    {
        Marshaller<byte[]> bytes = Marshallers.Create(static message => message, static message => message);
        return new Method<byte[], byte[]>(MethodType.Unary, service, name, bytes, bytes);
    }

    /// <summary>Notes the flags of each message, which the library does not tell.</summary>
    internal static Task NoteFlagsAsync(HttpContext context, RequestDelegate next)
    {
        List<bool> flags = [];
        context.Items[s_flagsKey] = flags;
        context.Request.Body = new GrpcFlagStream(context.Request.Body, flags);
        return next(context);
    }

    public virtual Task<byte[]> EmptyCall(byte[] request, ServerCallContext context) => Task.FromResult<byte[]>([]);

    public virtual async Task<GrpcInteropMessage> UnaryCall(GrpcInteropMessage request, ServerCallContext context)
    {
        await EchoMetadataAsync(context);
        Check(request, 0, context);
        SetCompression(context, request.IsResponseCompressed);
        return GrpcInteropMessage.Of(request.ResponseBytes);
    }

    public virtual async Task<GrpcInteropMessage> StreamingInputCall(IAsyncStreamReader<GrpcInteropMessage> requests, ServerCallContext context)
    {
        int totalBytes = 0;
        for (int index = 0; await requests.MoveNext(context.CancellationToken); index++)
        {
            Check(requests.Current, index, context);
            totalBytes += requests.Current.Payload.Length;
        }

        return GrpcInteropMessage.Of(0) with { TotalBytes = totalBytes };
    }

    public virtual Task StreamingOutputCall(GrpcInteropMessage request, IServerStreamWriter<GrpcInteropMessage> responses, ServerCallContext context)
        => AnswerAsync(request, responses, context);

    public virtual async Task FullDuplexCall(
        IAsyncStreamReader<GrpcInteropMessage> requests, IServerStreamWriter<GrpcInteropMessage> responses, ServerCallContext context)
    {
        await EchoMetadataAsync(context);
        for (int index = 0; await requests.MoveNext(context.CancellationToken); index++)
        {
            Check(requests.Current, index, context);
            await AnswerAsync(requests.Current, responses, context);
        }
    }

    private static async Task AnswerAsync(GrpcInteropMessage request, IServerStreamWriter<GrpcInteropMessage> responses, ServerCallContext context)
    {
        foreach ((int lengthBytes, bool isCompressed) in request.Responses)
        {
            SetCompression(context, isCompressed);
            await responses.WriteAsync(GrpcInteropMessage.Of(lengthBytes), context.CancellationToken);
        }
    }

    private static async Task EchoMetadataAsync(ServerCallContext context)
    {
        if (context.RequestHeaders.GetValueBytes(TrailingKey) is { } trailing)
        {
            context.ResponseTrailers.Add(TrailingKey, trailing);
        }

        if (context.RequestHeaders.GetValue(InitialKey) is { } initial)
        {
            await context.WriteResponseHeadersAsync(new Metadata { { InitialKey, initial } });
        }
    }

    private static void Check(GrpcInteropMessage request, int index, ServerCallContext context)
    {
        List<bool> flags = (List<bool>)context.GetHttpContext().Items[s_flagsKey]!;
        bool isCompressed;
        lock (flags)
        {
            isCompressed = flags[index];
        }

        if (request.ExpectsCompressed is { } expected && expected != isCompressed)
        {
            throw new RpcException(new Status(StatusCode.InvalidArgument, isCompressed ? "It is compressed." : "It is not compressed."));
        }

        if (request.Status is { } status)
        {
            throw new RpcException(status);
        }
    }

    private static void SetCompression(ServerCallContext context, bool isCompressed)
        => context.WriteOptions = isCompressed ? WriteOptions.Default : new WriteOptions(WriteFlags.NoCompress);

    private static Method<GrpcInteropMessage, GrpcInteropMessage> Define(MethodType type, string name)
        => new(type, "grpc.testing.TestService", name, GrpcInteropMessage.Marshaller, GrpcInteropMessage.Marshaller);
}

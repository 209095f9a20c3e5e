using System.Diagnostics.CodeAnalysis;
using Grpc.Core;

namespace Ioxide.Http2.Tests;

/// <summary>A service of gRPC with a method of each kind, bound by hand: messages are bytes as they are. Methods are found by the names of the calls.</summary>
[BindServiceMethod(typeof(EchoService), nameof(Bind))]
[SuppressMessage("Performance", "CA1852", Justification = "The binder finds virtual methods only.")]
internal class EchoService
{
    internal static readonly Method<byte[], byte[]> UnaryMethod = Define(MethodType.Unary, "Unary");
    internal static readonly Method<byte[], byte[]> RepeatMethod = Define(MethodType.ServerStreaming, "Repeat");
    internal static readonly Method<byte[], byte[]> CountMethod = Define(MethodType.ClientStreaming, "Count");
    internal static readonly Method<byte[], byte[]> EchoMethod = Define(MethodType.DuplexStreaming, "Echo");

    /// <summary>Completed by a call that waits.</summary>
    internal TaskCompletionSource Waiting { get; } = Waits.Signal();

    /// <summary>Completed by a call that was given up.</summary>
    internal TaskCompletionSource Cancelled { get; } = Waits.Signal();

    public static void Bind(ServiceBinderBase binder, EchoService? service)
    {
        binder.AddMethod(UnaryMethod, service is null ? null! : new UnaryServerMethod<byte[], byte[]>(service.Unary));
        binder.AddMethod(RepeatMethod, service is null ? null! : new ServerStreamingServerMethod<byte[], byte[]>(service.Repeat));
        binder.AddMethod(CountMethod, service is null ? null! : new ClientStreamingServerMethod<byte[], byte[]>(service.Count));
        binder.AddMethod(EchoMethod, service is null ? null! : new DuplexStreamingServerMethod<byte[], byte[]>(service.Echo));
    }

    /// <summary>Sends the message back, or does what the call's metadata ask for.</summary>
    public virtual async Task<byte[]> Unary(byte[] request, ServerCallContext context)
    {
        switch (context.RequestHeaders.GetValue("ask"))
        {
            case "fail":
                context.ResponseTrailers.Add("why", "asked");
                throw new RpcException(new Status(StatusCode.FailedPrecondition, "asked to fail: \u00e4 %"));
            case "throw":
                throw new InvalidOperationException("a fault of the handler");
            case "wait":
                using (context.CancellationToken.Register(Cancelled.SetResult))
                {
                    _ = Waiting.TrySetResult();
                    await Cancelled.Task;
                }

                throw new OperationCanceledException(context.CancellationToken);
            case "certificate":
                return System.Text.Encoding.UTF8.GetBytes(context.GetHttpContext().Connection.ClientCertificate?.Subject ?? "none");
            case "describe":
                await context.WriteResponseHeadersAsync(new Metadata { { "said", context.RequestHeaders.GetValue("say") ?? "" } });
                context.ResponseTrailers.Add("data-bin", [0, 255, 128]);
                break;
        }

        return request;
    }

    /// <summary>Sends the message as often as its first four bytes say.</summary>
    public virtual async Task Repeat(byte[] request, IServerStreamWriter<byte[]> responses, ServerCallContext context)
    {
        int count = BitConverter.ToInt32(request);
        try
        {
            for (int index = 0; index < count; index++)
            {
                await responses.WriteAsync(request, context.CancellationToken);
            }
        }
        catch (Exception)
        {
            // A write to a call that is over may fail before its token is cancelled.
            _ = Cancelled.TrySetResult();
            throw;
        }
    }

    public virtual async Task<byte[]> Count(IAsyncStreamReader<byte[]> requests, ServerCallContext context)
    {
        long bytes = 0;
        while (await requests.MoveNext(context.CancellationToken))
        {
            bytes += requests.Current.Length;
        }

        return BitConverter.GetBytes(bytes);
    }

    public virtual async Task Echo(IAsyncStreamReader<byte[]> requests, IServerStreamWriter<byte[]> responses, ServerCallContext context)
    {
        while (await requests.MoveNext(context.CancellationToken))
        {
            await responses.WriteAsync(requests.Current, context.CancellationToken);
        }
    }

    private static Method<byte[], byte[]> Define(MethodType type, string name)
    {
        Marshaller<byte[]> bytes = Marshallers.Create(static message => message, static message => message);
        return new Method<byte[], byte[]>(type, "ioxide.Echo", name, bytes, bytes);
    }
}

using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using Grpc.Core;

namespace Ioxide.LoadHost;

/// <summary>gRPC without generated code: messages are bytes as they are. The first four of a request are a count, little-endian.</summary>
[BindServiceMethod(typeof(GrpcService), nameof(Bind))]
[SuppressMessage("Performance", "CA1852", Justification = "The binder finds virtual methods only.")]
internal class GrpcService
{
    private const string Name = "ioxide.Load";

    private static readonly Marshaller<byte[]> s_bytes = Marshallers.Create(static bytes => bytes, static bytes => bytes);
    private static readonly Method<byte[], byte[]> s_echo = new(MethodType.Unary, Name, nameof(Echo), s_bytes, s_bytes);
    private static readonly Method<byte[], byte[]> s_repeat = new(MethodType.ServerStreaming, Name, nameof(Repeat), s_bytes, s_bytes);

    public static void Bind(ServiceBinderBase binder, GrpcService? service)
    {
        binder.AddMethod(s_echo, service is null ? null! : new UnaryServerMethod<byte[], byte[]>(service.Echo));
        binder.AddMethod(s_repeat, service is null ? null! : new ServerStreamingServerMethod<byte[], byte[]>(service.Repeat));
    }

    /// <summary>Answers with the request.</summary>
    public virtual Task<byte[]> Echo(byte[] request, ServerCallContext context) => Task.FromResult(request);

    /// <summary>Answers with the request as often as it says.</summary>
    public virtual async Task Repeat(byte[] request, IServerStreamWriter<byte[]> responses, ServerCallContext context)
    {
        for (int left = BinaryPrimitives.ReadInt32LittleEndian(request); left > 0; left--)
        {
            await responses.WriteAsync(request);
        }
    }
}

using Grpc.Core;
using Grpc.Net.Client;

namespace Ioxide.Http2.Tests;

/// <summary>A channel to one server, and the flags of the messages that came over it.</summary>
internal sealed class GrpcInteropClient : IDisposable
{
    private readonly Uri _address;
    private readonly GrpcChannel _channel;
    private readonly FlagHandler _handler;

    internal GrpcInteropClient(Uri address)
    {
        _address = address;
        SocketsHttpHandler inner = new() { UseProxy = false };
        inner.SslOptions.RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost";
        _handler = new FlagHandler(inner);
        _channel = GrpcChannel.ForAddress(
            address, new GrpcChannelOptions { HttpHandler = _handler, MaxReceiveMessageSize = null, DisposeHttpClient = true });
        Invoker = _channel.CreateCallInvoker();
    }

    internal CallInvoker Invoker { get; }

    /// <summary>Another channel to the same server.</summary>
    internal GrpcInteropClient Again() => new(_address);

    /// <summary>Whether each message since the last question came compressed.</summary>
    internal bool[] TakeFlags()
    {
        lock (_handler.Flags)
        {
            bool[] flags = [.. _handler.Flags];
            _handler.Flags.Clear();
            return flags;
        }
    }

    internal async Task<GrpcInteropMessage> UnaryAsync(GrpcInteropMessage request, Metadata? metadata = null)
    {
        using AsyncUnaryCall<GrpcInteropMessage> call = Unary(request, metadata);
        return await call.ResponseAsync.Within(30.Seconds());
    }

    internal AsyncUnaryCall<GrpcInteropMessage> Unary(GrpcInteropMessage request, Metadata? metadata = null)
        => Invoker.AsyncUnaryCall(GrpcInteropService.UnaryCallMethod, null, new CallOptions(metadata), request);

    internal AsyncDuplexStreamingCall<GrpcInteropMessage, GrpcInteropMessage> Duplex(CallOptions options = default)
        => Invoker.AsyncDuplexStreamingCall(GrpcInteropService.FullDuplexCallMethod, null, options);

    internal AsyncClientStreamingCall<GrpcInteropMessage, GrpcInteropMessage> ClientStream(CallOptions options = default)
        => Invoker.AsyncClientStreamingCall(GrpcInteropService.StreamingInputCallMethod, null, options);

    internal AsyncServerStreamingCall<GrpcInteropMessage> ServerStream(GrpcInteropMessage request)
        => Invoker.AsyncServerStreamingCall(GrpcInteropService.StreamingOutputCallMethod, null, default, request);

    public void Dispose() => _channel.Dispose();

    private sealed class FlagHandler(HttpMessageHandler inner) : DelegatingHandler(inner)
    {
        internal List<bool> Flags { get; } = [];

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
            StreamContent content = new(new GrpcFlagStream(await response.Content.ReadAsStreamAsync(cancellationToken), Flags));
            foreach ((string name, IEnumerable<string> values) in response.Content.Headers)
            {
                content.Headers.TryAddWithoutValidation(name, values);
            }

            response.Content = content;
            return response;
        }
    }
}

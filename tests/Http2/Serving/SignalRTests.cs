using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.WebSockets;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>SignalR, unchanged, over HTTP/2 alone, by each of its transports.</summary>
public class SignalRTests
{
    [Theory]
    [InlineData(true, false, HttpTransportType.WebSockets)]
    [InlineData(true, true, HttpTransportType.WebSockets)]
    [InlineData(false, false, HttpTransportType.WebSockets)]
    [InlineData(false, true, HttpTransportType.WebSockets)]
    [InlineData(true, false, HttpTransportType.ServerSentEvents)]
    [InlineData(true, true, HttpTransportType.ServerSentEvents)]
    [InlineData(false, true, HttpTransportType.ServerSentEvents)]
    [InlineData(true, true, HttpTransportType.LongPolling)]
    [InlineData(false, true, HttpTransportType.LongPolling)]
    public async Task AHubAnswersStreamsAndCallsBack(bool isEngine, bool isTls, HttpTransportType transport)
    {
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            Services = static services => services.AddSignalR(),
            Map = static app => app.MapHub<EchoHub>("/hub"),
        }.On(isEngine, isTls));
        using HttpMessageInvoker invoker = new(Sides.Handler());
        await using HubConnection connection = new HubConnectionBuilder().WithUrl(
            $"{host.Address(isTls)}/hub",
            options =>
            {
                options.Transports = transport;
                options.SkipNegotiation = transport == HttpTransportType.WebSockets;
                options.HttpMessageHandlerFactory = _ => new OverHttp2();
                options.WebSocketFactory = async (context, cancellationToken) =>
                {
                    ClientWebSocket socket = new() { Options = { HttpVersion = HttpVersion.Version20, HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact } };
                    await socket.ConnectAsync(context.Uri, invoker, cancellationToken);
                    return socket;
                };
            }).Build();
        TaskCompletionSource<string> called = Waits.Signal<string>();
        using IDisposable handler = connection.On<string>("called", called.SetResult);
        await connection.StartAsync().Within(30.Seconds());

        Assert.Equal("HTTP/2", await connection.InvokeAsync<string>(nameof(EchoHub.Protocol)).Within(30.Seconds()));
        string text = new('x', 20_000);
        Assert.Equal(text, await connection.InvokeAsync<string>(nameof(EchoHub.Echo), text).Within(30.Seconds()));
        Assert.Equal("hello", await called.Task.Within(30.Seconds()));
        int expected = 0;
        await foreach (int number in connection.StreamAsync<int>(nameof(EchoHub.Count), 500))
        {
            Assert.Equal(expected++, number);
        }

        Assert.Equal(500, expected);
        await connection.StopAsync().Within(30.Seconds());
    }

    /// <summary>The client leaves the version to its handler.</summary>
    private sealed class OverHttp2() : DelegatingHandler(Sides.Handler())
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            request.Version = HttpVersion.Version20;
            request.VersionPolicy = HttpVersionPolicy.RequestVersionExact;
            return base.SendAsync(request, cancellationToken);
        }
    }

    [SuppressMessage("Performance", "CA1822", Justification = "Methods of a hub are found on its objects.")]
    internal sealed class EchoHub : Hub
    {
        public override Task OnConnectedAsync() => Clients.Caller.SendAsync("called", "hello");

        public string Protocol() => Context.GetHttpContext()!.Request.Protocol;

        public string Echo(string text) => text;

        public async IAsyncEnumerable<int> Count(int count, [EnumeratorCancellation] CancellationToken cancellationToken)
        {
            for (int number = 0; number < count; number++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return number;
                await Task.Yield();
            }
        }
    }
}

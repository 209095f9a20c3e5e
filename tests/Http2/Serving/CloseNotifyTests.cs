using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.Http2.Tests;

/// <summary>
/// Which ends of an HTTP/2 connection over TLS say close_notify: on a ring those that are in order, for Kestrel's HTTP/2 and for this engine. Where
/// stock leaves it out and a client might take the end for an answer's, a ring leaves it out too.
/// </summary>
public class CloseNotifyTests
{
    private const byte AlertType = 21;

    /// <summary>How a connection ends.</summary>
    public enum Ending
    {
        /// <summary>The client ends it behind a whole answer.</summary>
        WholeAnswer,

        /// <summary>The client ends it behind an answer in whose middle the handler threw.</summary>
        HandlerThrew,

        /// <summary>The client breaks the protocol, and nothing is being answered.</summary>
        Error,

        /// <summary>The client breaks the protocol in the middle of an answer.</summary>
        ErrorInAnswer,

        /// <summary>The client breaks the protocol behind an answer in whose middle the handler threw.</summary>
        ErrorAfterHandlerThrew,

        /// <summary>The handler aborts its connection before its answer.</summary>
        Aborted,

        /// <summary>The handler aborts its connection in the middle of its answer.</summary>
        AbortedInAnswer,

        /// <summary>The server stops, and the client ends it behind its answer.</summary>
        ServerStops,
    }

    /// <summary>Who serves.</summary>
    public enum Side
    {
        /// <summary>Kestrel over sockets and SslStream.</summary>
        Stock,

        /// <summary>Kestrel's HTTP/2 over TLS on a ring.</summary>
        KestrelOnRing,

        /// <summary>This engine over TLS on a ring.</summary>
        Engine,
    }

    public static TheoryData<Ending, bool> Ends { get; } = new()
    {
        { Ending.WholeAnswer, true },
        { Ending.HandlerThrew, true }, // The client has been told, by RST_STREAM.
        { Ending.ServerStops, true },
        { Ending.Error, false },
        { Ending.ErrorInAnswer, false },
        { Ending.ErrorAfterHandlerThrew, false },
        { Ending.Aborted, false },
        { Ending.AbortedInAnswer, false },
    };

    [Theory, MemberData(nameof(Ends))]
    public async Task OnlyAnEndInOrderIsSaid(Ending end, bool isSaid)
    {
        Assert.Equal(isSaid, await EndsWithAlertAsync(end, Side.KestrelOnRing));
        Assert.Equal(isSaid, await EndsWithAlertAsync(end, Side.Engine));

        // Kestrel disposes of SslStream, which says nothing: where it is left out on a ring, it is so by stock.
        Assert.False(await EndsWithAlertAsync(end, Side.Stock));
    }

    private static async Task<bool> EndsWithAlertAsync(Ending end, Side side)
    {
        using X509Certificate2 certificate = CertificateMaker.SelfSigned();
        TaskCompletionSource isOver = Waits.Signal();
        await using Http2Host host = await Http2Host.StartAsync(new Http2Setup
        {
            IsEngine = side == Side.Engine,
            ExpectsErrors = true,
            Services = services => _ = side == Side.KestrelOnRing ? services.AddIoxideTransport() : services,
            Listen = listen => _ = side == Side.Stock ? listen.UseHttps(certificate) : listen.UseIoxideTls(certificate),
            Handler = context => AnswerAsync(context, end, isOver.Task),
        });
        using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(host.EndPoint).Within(30.Seconds());
        RecordTypes types = new(new NetworkStream(socket));
        await using SslStream stream = new(types);
        await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            EnabledSslProtocols = SslProtocols.Tls12, // 1.3 hides the types of its records.
            ApplicationProtocols = [SslApplicationProtocol.Http2],
            TargetHost = "localhost",
            RemoteCertificateValidationCallback = static (_, shown, _, _) => shown?.Subject == "CN=localhost",
        }).Within(30.Seconds());
        await stream.WriteAsync((byte[])[.. Http2Connection.Preface, .. FrameClient.Settings()]).AsTask().Within(30.Seconds());
        if (end != Ending.Error)
        {
            await stream.WriteAsync(FrameClient.Headers(
                1, ends: true, (":method", "GET"), (":scheme", "https"), (":path", "/"), (":authority", "localhost"))).AsTask().Within(30.Seconds());
        }

        try
        {
            await ReadUntilAsync(stream, end switch
            {
                Ending.WholeAnswer => static (type, _, ends) => type == Http2FrameType.Data && ends,
                Ending.HandlerThrew or Ending.ErrorAfterHandlerThrew => static (type, _, _) => type == Http2FrameType.RstStream,
                Ending.ErrorInAnswer or Ending.ServerStops => static (type, length, _) => type == Http2FrameType.Data && length > 0,
                Ending.Error => static (type, _, _) => type == Http2FrameType.Settings,
                _ => static (_, _, _) => false,
            });
            Task stopping = Task.CompletedTask;
            if (end == Ending.ServerStops)
            {
                stopping = host.StopAsync();
                await ReadUntilAsync(stream, static (type, _, _) => type == Http2FrameType.GoAway);
                isOver.SetResult();
                await ReadUntilAsync(stream, static (type, _, ends) => type == Http2FrameType.Data && ends);
            }

            if (end is Ending.Error or Ending.ErrorInAnswer or Ending.ErrorAfterHandlerThrew)
            {
                await stream.WriteAsync(FrameClient.Data(0, [1])).AsTask().Within(30.Seconds());
            }
            else
            {
                await stream.ShutdownAsync().Within(30.Seconds());
            }

            await ReadUntilAsync(stream, static (_, _, _) => false);
            await stopping;
        }
        catch (IOException)
        {
            // The server has reset the connection.
        }

        isOver.TrySetResult();
        return types.Last == AlertType;
    }

    private static async Task AnswerAsync(HttpContext context, Ending end, Task isOver)
    {
        if (end == Ending.Aborted)
        {
            context.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort();
        }

        await context.Response.WriteAsync("what comes first");
        await context.Response.Body.FlushAsync();
        switch (end)
        {
            case Ending.HandlerThrew or Ending.ErrorAfterHandlerThrew:
                throw new InvalidOperationException("In the middle of the answer.");
            case Ending.AbortedInAnswer:
                context.Features.GetRequiredFeature<IConnectionLifetimeFeature>().Abort();
                break;
            case Ending.ErrorInAnswer or Ending.ServerStops:
                await Task.WhenAny(isOver, Task.Delay(Timeout.Infinite, context.RequestAborted));
                break;
            default:
                break;
        }
    }

    /// <summary>Reads frames until one is the wanted one (type, length of its payload, whether it ends its stream), or to the end.</summary>
    private static async Task ReadUntilAsync(SslStream stream, Func<Http2FrameType, int, bool, bool> isWanted)
    {
        byte[] header = new byte[Http2FrameHeader.SizeInBytes];
        while (await stream.ReadAtLeastAsync(header, header.Length, throwOnEndOfStream: false).AsTask().Within(30.Seconds()) == header.Length)
        {
            Http2FrameHeader read = Http2FrameHeader.Read(header);
            await stream.ReadExactlyAsync(new byte[read.Length]).AsTask().Within(30.Seconds());
            if (isWanted(read.Type, read.Length, read.Has(Http2FrameFlags.EndStream)))
            {
                return;
            }
        }
    }
}

using System.Net;
using System.Net.Sockets;

namespace Ioxide.Http2.Tests;

/// <summary>A server of a few lines that is wrong in one way.</summary>
internal sealed class WrongHttp2Server : IAsyncDisposable
{
    private const byte Status200 = 0x88;

    private readonly Socket _listener = RawSocket.Listen();
    private readonly CancellationTokenSource _stop = new();
    private readonly WrongHttp2Kind _kind;
    private readonly Task _run;

    internal WrongHttp2Server(WrongHttp2Kind kind)
    {
        _kind = kind;
        _run = RunAsync();
    }

    internal IPEndPoint EndPoint => (IPEndPoint)_listener.LocalEndPoint!;

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Dispose();
        await _run.Within(20.Seconds());
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        List<Task> connections = [];
        try
        {
            while (true)
            {
                connections.Add(ServeAsync(await _listener.AcceptAsync(_stop.Token)));
            }
        }
        catch (OperationCanceledException)
        {
            await Task.WhenAll(connections);
        }
    }

    private async Task ServeAsync(Socket accepted)
    {
        await using NetworkStream stream = new(accepted, ownsSocket: true);
        try
        {
            byte[] header = new byte[Http2FrameHeader.SizeInBytes];
            await stream.WriteAsync(_kind == WrongHttp2Kind.OpensWithPing ? SpecFrames.Ping : FrameClient.Settings(), _stop.Token);
            await stream.ReadExactlyAsync(new byte[Http2Connection.Preface.Length], _stop.Token);
            for (int count = 0; ; count++)
            {
                await stream.ReadExactlyAsync(header, _stop.Token);
                Http2FrameHeader frame = Http2FrameHeader.Read(header);
                byte[] payload = new byte[frame.Length];
                await stream.ReadExactlyAsync(payload, _stop.Token);

                // The first frame is the client's SETTINGS, the second acknowledges the server's.
                if (count > 1 && _kind == WrongHttp2Kind.EndsConnections)
                {
                    return;
                }

                byte[] answer = count == 0 || _kind is WrongHttp2Kind.TakesEverything or WrongHttp2Kind.OpensWithPing ? Answer(frame, payload)
                    : count > 1 && _kind == WrongHttp2Kind.Chatters ? SpecFrames.Ping
                    : count > 1 && _kind == WrongHttp2Kind.SaysWrongCodes ? SpecFrames.GoAway((uint)Http2ErrorCode.Http11Required)
                    : [];
                await stream.WriteAsync(answer, _stop.Token);
            }
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            // The client has left, or the test has.
        }
    }

    private static byte[] Answer(Http2FrameHeader frame, byte[] payload) => frame.Type switch
    {
        Http2FrameType.Settings when !frame.Has(Http2FrameFlags.EndStream)
            => FrameClient.Frame(Http2FrameType.Settings, Http2FrameFlags.EndStream, 0),
        Http2FrameType.Ping => FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.EndStream, 0, payload),
        Http2FrameType.Headers => SpecFrames.Head([Status200], streamId: frame.StreamId),
        _ => [],
    };
}

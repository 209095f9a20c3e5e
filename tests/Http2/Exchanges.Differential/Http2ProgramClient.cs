using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Http2.Tests;

/// <summary>The client of programs over HTTP/2: gives back windows at once, and keeps what it was answered.</summary>
internal sealed class Http2ProgramClient : IProgramClient
{
    private const int FirstStream = 1;

    private readonly FrameClient _client;
    private readonly ProgramPlace _place;
    private readonly SemaphoreSlim _sending = new(1);
    private readonly ConcurrentDictionary<int, ProgramAnswer> _answers = new();
    private readonly ConcurrentDictionary<long, TaskCompletionSource> _pings = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _reading;
    private long _pingCount;
    private int _sent;

    private Http2ProgramClient(FrameClient client, ProgramPlace place)
    {
        _client = client;
        Port = ((IPEndPoint)client.Socket.LocalEndPoint!).Port;
        _place = place;
        _reading = ReadAsync();
    }

    internal static async Task<Http2ProgramClient> ConnectAsync(IPEndPoint endPoint, ProgramPlace place, HandlerProgram program)
        => new(await FrameClient.ConnectAsync(endPoint, [(4, program.Window)], place.IsTls), place);

    public int Port { get; }

    public async Task<string?> AskAsync(string path, ProgramSession session)
    {
        HandlerProgram program = session.Program;
        ProgramAnswer answer = await SendAsync(FirstStream, path, program);
        Task both = Task.WhenAll(session.Over, answer.Ended);
        if (!await session.IsInTimeAsync(both))
        {
            session.Note($"without an end: handler {session.Over.IsCompleted}, answer {answer}");
            return null;
        }

        // A request that is not complete is reset behind its answer.
        _ = await Task.WhenAny(answer.WasReset, Task.Delay(program.IsClientDone ? 0 : 1000));
        await SyncAsync([]);
        return answer.BrokenRule is { } rule ? $"{answer}{ProgramAnswer.Malformed}{rule}" : answer.ToString();
    }

    public async Task<string> AskAgainAsync(string path, ProgramSession session)
    {
        ProgramAnswer answer = await SendAsync(FirstStream + 2, path, HandlerProgram.Plain);
        await answer.Ended.Within(20.Seconds());
        return answer.ToString();
    }

    public async Task ActAsync(ProgramSession session, Step step)
    {
        HandlerProgram program = session.Program;
        byte[] frames = step.Kind switch
        {
            StepKind.ClientSends => step.Number > 0 ? Data(FirstStream, program, step.Number, ends: false) : [],
            StepKind.ClientEnds => Data(FirstStream, program, step.Number, ends: true),
            StepKind.ClientSendsTrailers =>
            [
                .. step.Number > 0 ? Data(FirstStream, program, step.Number, ends: false) : [],
                .. FrameClient.Headers(FirstStream, ends: true, ("sum", "4"), ("x-other", "1")),
            ],
            StepKind.ClientResets => FrameClient.Number(Http2FrameType.RstStream, FirstStream, (uint)Http2ErrorCode.Cancel),
            _ => [],
        };
        await SyncAsync(frames);
        if (step.Kind == StepKind.ClientResets)
        {
            _answers[FirstStream].OnOwnReset();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _reading;
        _sending.Dispose();
    }

    /// <summary>Sends the request, with as much of its body as the program says.</summary>
    private async Task<ProgramAnswer> SendAsync(int streamId, string path, HandlerProgram program)
    {
        List<(string, string)> fields =
        [
            (":method", program.Method), (":scheme", _place.IsTls ? "https" : "http"), (":path", path), (":authority", "localhost"), .. _place.Fields(program),
        ];
        if (program.DeclaresLength)
        {
            fields.Add(("content-length", program.BodyLength.ToString(CultureInfo.InvariantCulture)));
        }

        if (program.IsForm)
        {
            fields.Add(("content-type", "application/x-www-form-urlencoded"));
        }

        if (program.ExpectsContinue)
        {
            fields.Add(("expect", "100-continue"));
        }

        _sent = 0;
        ProgramAnswer answer = _answers[streamId] = new ProgramAnswer(program.Method, _place.Middleware(program));
        await SendAsync(
        [
            .. FrameClient.Headers(streamId, ends: program.BodyLength < 0, [.. fields]),
            .. program.FirstPiece > 0 || program.EndsWithFirst ? Data(streamId, program, program.FirstPiece, program.EndsWithFirst) : [],
        ]);
        return answer;
    }

    /// <summary>Whatever the server had to say before it read these frames has arrived when this ends.</summary>
    private async Task SyncAsync(byte[] frames)
    {
        long number = Interlocked.Increment(ref _pingCount);
        TaskCompletionSource answered = _pings[number] = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        byte[] payload = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(payload, number);
        await SendAsync([.. frames, .. FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, payload)]);
        await Task.WhenAny(answered.Task, _ended.Task).Within(10.Seconds());
    }

    private byte[] Data(int streamId, HandlerProgram program, int count, bool ends)
    {
        byte[] bytes = program.Body(_sent, count);
        _sent += count;
        List<byte> frames = [];
        foreach (byte[] piece in bytes.Chunk(16_384))
        {
            frames.AddRange(FrameClient.Data(streamId, piece));
        }

        if (ends)
        {
            frames.AddRange(FrameClient.Data(streamId, [], ends: true));
        }

        return [.. frames];
    }

    private async Task SendAsync(byte[] bytes)
    {
        await _sending.WaitAsync();
        try
        {
            await _client.SendAsync(bytes);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The server has ended the connection, which the reader notes, or this side has.
        }
        finally
        {
            _ = _sending.Release();
        }
    }

    private async Task ReadAsync()
    {
        try
        {
            while (await _client.ReadAnyAsync() is { } frame)
            {
                await TakeAsync(frame);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // This side has ended the connection.
        }

        foreach (ProgramAnswer answer in _answers.Values)
        {
            answer.OnConnectionEnd();
        }

        _ended.SetResult();
    }

    private async Task TakeAsync(Frame frame)
    {
        switch (frame.Type)
        {
            case Http2FrameType.Ping when frame.IsAnswer:
                if (_pings.TryRemove(BinaryPrimitives.ReadInt64BigEndian(frame.Payload), out TaskCompletionSource? answered))
                {
                    answered.SetResult();
                }

                break;
            case Http2FrameType.Data:
                if (frame.Payload.Length > 0)
                {
                    await SendAsync(
                    [
                        .. FrameClient.Number(Http2FrameType.WindowUpdate, 0, (uint)frame.Payload.Length),
                        .. frame.EndsStream || _answers[frame.StreamId].IsOwnReset ? [] : FrameClient.Number(Http2FrameType.WindowUpdate, frame.StreamId, (uint)frame.Payload.Length),
                    ]);
                }

                _answers[frame.StreamId].OnData(frame.Payload, frame.EndsStream);
                break;
            case Http2FrameType.Headers:
                _answers[frame.StreamId].OnHeaders(frame);
                break;
            case Http2FrameType.RstStream:
                _answers[frame.StreamId].OnReset(frame.Code);
                break;
            case Http2FrameType.GoAway:
                foreach (ProgramAnswer answer in _answers.Values)
                {
                    answer.OnGoAway(frame.Code);
                }

                break;
            default:
                break;
        }
    }
}

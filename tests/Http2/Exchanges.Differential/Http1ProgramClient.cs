using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>The client of programs over HTTP/1.1. A body without a declared length is chunked, a piece a chunk.</summary>
/// <remarks>
/// Behind a request that the program leaves without its end the client sends the rest, or ends its side. It then asks again, and wants the connection to
/// end. What it was answered is cut into answers when all is there.
/// </remarks>
internal sealed class Http1ProgramClient : IProgramClient
{
    // Of bytes that were taken from the socket, of what reads them, and of what that wakes.
    private const int TurnsToPass = 3;

    // What stays unread longer stays, because the server reads no further; unless stock did.
    private static readonly TimeSpan s_stuckLimit = 100.Milliseconds();
    private static readonly TimeSpan s_readLimit = Waits.Stretched(10.Seconds());
    private static readonly TimeSpan s_answerLimit = 300.Milliseconds();

    private readonly RawClient _client;
    private readonly HandlerProgram _program;
    private readonly ProgramPlace _place;
    private readonly SemaphoreSlim _sending = new(1);
    private readonly MemoryStream _received = new();
    private readonly Task _reading;
    private int _sent;
    private bool _isBodyOver;
    private bool _isEnded;
    private bool _isReset;

    private Http1ProgramClient(RawClient client, ProgramPlace place, HandlerProgram program)
    {
        _client = client;
        Port = ((IPEndPoint)client.Socket.LocalEndPoint!).Port;
        _place = place;
        _program = program;
        _isBodyOver = program.BodyLength < 0;
        _reading = ReadAsync();
    }

    internal static async Task<Http1ProgramClient> ConnectAsync(IPEndPoint endPoint, ProgramPlace place, HandlerProgram program)
        => new(await RawClient.ConnectAsync(endPoint, isTls: place.IsTls, protocol: SslApplicationProtocol.Http11), place, program);

    /// <summary>
    /// Where its request has no end, it ends its side of the connection behind the answer; else it sends the rest, also where the answer may have no end
    /// that it could tell.
    /// </summary>
    private bool EndsItsSide => _program.Seed % 2 == 0 && !_program.Steps.Any(step => MayCut(step) || (_place.IsTls && step.Kind == StepKind.PipeCancelFlush));

    public int Port { get; }

    public async Task<string?> AskAsync(string path, ProgramSession session)
    {
        await SendAsync([.. Encoding.ASCII.GetBytes(Head(path)), .. _program.BodyLength < 0 ? [] : Piece(_program.FirstPiece, _program.EndsWithFirst)]);
        if (!await session.IsInTimeAsync(session.Returned))
        {
            session.Note("without an end: the handler");
            return null;
        }

        if (!_isBodyOver && EndsItsSide)
        {
            // An end of its side aborts a request that is under way: the whole answer comes first, or the server's end.
            if (!await session.IsInTimeAsync(session.Over))
            {
                session.Note("without an end: the request");
                return null;
            }

            await Waits.Eventually(() => _reading.IsCompleted || IsAnswered(), 10.Seconds());
            _isEnded = true;
            EndOwnSide();
        }
        else if (!_isBodyOver)
        {
            await SendAsync(Piece(_program.BodyLength - _sent, ends: true));
        }

        if (!await session.IsInTimeAsync(session.Over))
        {
            session.Note("without an end: the request");
            return null;
        }

        return "";
    }

    public async Task<string> AskAgainAsync(string path, ProgramSession session)
    {
        if (!_isEnded)
        {
            // A server that ends the connection behind its answer resets it over another request, and the answer may be lost.
            long started = Environment.TickCount64;
            while (!IsAnswered() && !_reading.IsCompleted && Environment.TickCount64 - started < s_answerLimit.TotalMilliseconds)
            {
                await Task.Delay(1);
            }

            await SendAsync(Encoding.ASCII.GetBytes(RawClient.Get(path, "Connection: close\r\n")));
        }

        if (!await session.IsInTimeAsync(_reading))
        {
            return "without an end: the connection";
        }

        return _isReset ? "reset by the client" : new Http1Answers(_received.ToArray(), _place.Middleware(_program)).Describe(_program.Method);
    }

    public async Task ActAsync(ProgramSession session, Step step)
    {
        switch (step.Kind)
        {
            case StepKind.ClientSends:
                await SendAsync(Piece(step.Number, ends: false));
                break;
            case StepKind.ClientEnds:
                await SendAsync(Piece(step.Number, ends: true));
                break;
            case StepKind.ClientSendsTrailers:
                await SendAsync(Piece(step.Number, ends: true, "Sum: 4\r\nX-Other: 1\r\n"));
                break;
            case StepKind.ClientResets:
                _isReset = _isEnded = _isBodyOver = true;
                _client.Reset();
                break;
            default:
                break;
        }

        await SyncAsync(session);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _reading;
        await _received.DisposeAsync();
        _sending.Dispose();
    }

    /// <summary>An answer with this may be cut off, or have no end of its own.</summary>
    private static bool MayCut(Step step)
        => step.Kind is StepKind.Throw or StepKind.Abort or StepKind.Length or StepKind.PipeCompleteWriter or StepKind.OnStarting
            || step is { Kind: StepKind.Status, Number: < 200 } || step.Text is "Content-Length" or "Transfer-Encoding";

    /// <summary>Nothing is left in the server's socket, and what it took from there has passed its reactor.</summary>
    private static async Task SyncAsync(ProgramSession session)
    {
        TimeSpan limit = session.ReadsAll ? s_readLimit : s_stuckLimit;
        long started = Environment.TickCount64;
        do
        {
            await Task.Delay(1);
            session.IsStuck |= Environment.TickCount64 - started >= limit.TotalMilliseconds;
        }
        while (IsUnread(session.ServerSocket) && Environment.TickCount64 - started < limit.TotalMilliseconds);
        for (int turn = 0; turn < TurnsToPass && session.Reactor is { } reactor; turn++)
        {
            TaskCompletionSource passed = Waits.Signal();
            reactor.Post(static passed => ((TaskCompletionSource)passed!).SetResult(), passed);
            await passed.Task.Within(10.Seconds(), "the reactor turns");
        }
    }

    private static bool IsUnread(Socket? server)
    {
        try
        {
            return server?.Available > 0;
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The connection is over.
            return false;
        }
    }

    private string Head(string path)
    {
        StringBuilder head = new();
        _ = head.Append(CultureInfo.InvariantCulture, $"{_program.Method} {path} HTTP/1.1\r\nHost: localhost\r\n");
        foreach ((string name, string value) in _place.Fields(_program))
        {
            _ = head.Append(CultureInfo.InvariantCulture, $"{name}: {value}\r\n");
        }

        if (_program.BodyLength >= 0)
        {
            _ = _program.DeclaresLength
                ? head.Append(CultureInfo.InvariantCulture, $"Content-Length: {_program.BodyLength}\r\n")
                : head.Append("Transfer-Encoding: chunked\r\n");
        }

        if (_program.IsForm)
        {
            _ = head.Append("Content-Type: application/x-www-form-urlencoded\r\n");
        }

        if (_program.ExpectsContinue)
        {
            _ = head.Append("Expect: 100-continue\r\n");
        }

        return head.Append("\r\n").ToString();
    }

    private byte[] Piece(int count, bool ends, string trailers = "")
    {
        byte[] bytes = _program.Body(_sent, count);
        _sent += count;
        _isBodyOver |= ends || (_program.DeclaresLength && _sent == _program.BodyLength);
        if (_program.DeclaresLength)
        {
            return bytes;
        }

        string size = string.Create(CultureInfo.InvariantCulture, $"{count:x}\r\n");
        return
        [
            .. count > 0 ? [.. Encoding.ASCII.GetBytes(size), .. bytes, .. "\r\n"u8] : Array.Empty<byte>(),
            .. ends ? Encoding.ASCII.GetBytes($"0\r\n{trailers}\r\n") : [],
        ];
    }

    private async Task SendAsync(byte[] bytes)
    {
        await _sending.WaitAsync();
        try
        {
            await _client.SendAsync(bytes);
        }
        catch (Exception exception) when (exception is SocketException or IOException or ObjectDisposedException)
        {
            // The server has ended the connection, or this side has.
        }
        finally
        {
            _ = _sending.Release();
        }
    }

    private void EndOwnSide()
    {
        try
        {
            _client.Finish();
        }
        catch (SocketException)
        {
            // The server has ended the connection.
        }
    }

    private bool IsAnswered()
    {
        lock (_received)
        {
            return Http1Answers.IsWhole(_received.ToArray(), _program.Method == "HEAD");
        }
    }

    private async Task ReadAsync()
    {
        byte[] buffer = new byte[16_384];
        try
        {
            int count;
            while ((count = await _client.ReadSomeAsync(buffer)) > 0)
            {
                lock (_received)
                {
                    _received.Write(buffer, 0, count);
                }
            }
        }
        catch (Exception exception) when (exception is SocketException or IOException or ObjectDisposedException)
        {
            // A reset says nothing that an end does not: it also answers what the client sent too late.
        }
    }
}

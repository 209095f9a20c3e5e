using System.Diagnostics;
using System.Net.Sockets;
using Ioxide.Compare.Loads;

namespace Ioxide.Scaling;

/// <summary>One thread of the load, and its connections.</summary>
internal sealed class LoadThread
{
    private const int AnswerTimeoutMs = 10_000;
    private const int BufferBytes = 4096;

    private static readonly byte[] s_request = "GET /fixed HTTP/1.1\r\nHost: localhost\r\n\r\n"u8.ToArray();

    private readonly Socket[] _sockets;
    private readonly long[] _sentAt;
    private readonly int[] _left;
    private readonly byte[] _buffer = new byte[BufferBytes];
    private readonly LatencyHistogram _latencies = new();
    private readonly int _answerBytes;
    private Thread? _thread;
    private Exception? _failure;

    /// <summary>Connects, and asks once on each connection: all answers have one length.</summary>
    internal LoadThread(int port, int connectionCount)
    {
        _sockets = [.. Enumerable.Range(0, connectionCount).Select(_ => LoopbackSocket.Connect(port))];
        _sentAt = new long[connectionCount];
        _left = new int[connectionCount];
        foreach (Socket socket in _sockets)
        {
            _ = socket.Send(s_request);
            int received = socket.Receive(_buffer);
            if (!_buffer.AsSpan(0, received).StartsWith("HTTP/1.1 200 "u8))
            {
                throw new InvalidOperationException("The server does not answer as it should.");
            }

            _answerBytes = received;
        }
    }

    internal void Start(long endsAt)
    {
        _thread = new Thread(() => RunGuarded(endsAt));
        _thread.Start();
    }

    /// <summary>What the thread has seen. Throws what ended it.</summary>
    internal LatencyHistogram Join()
    {
        _thread!.Join();
        return _failure is null ? _latencies : throw new InvalidOperationException("The load broke off.", _failure);
    }

    private void RunGuarded(long endsAt)
    {
        try
        {
            Run(endsAt);
        }
        catch (Exception exception)
        {
            _failure = exception;
        }
        finally
        {
            Array.ForEach(_sockets, static socket => socket.Dispose());
        }
    }

    private void Run(long endsAt)
    {
        using var poll = new PollSet(_sockets);
        for (int index = 0; index < _sockets.Length; index++)
        {
            Send(index);
        }

        int open = _sockets.Length;
        while (open > 0)
        {
            if (poll.Wait(AnswerTimeoutMs) == 0)
            {
                throw new TimeoutException($"no answer within {AnswerTimeoutMs / 1000} s");
            }

            foreach (int index in poll.Ready)
            {
                if (!IsAnswered(index))
                {
                    continue;
                }

                long now = Stopwatch.GetTimestamp();
                _latencies.Add(Stopwatch.GetElapsedTime(_sentAt[index], now));
                if (now < endsAt)
                {
                    Send(index);
                }
                else
                {
                    open--;
                }
            }
        }
    }

    private void Send(int index)
    {
        _sentAt[index] = Stopwatch.GetTimestamp();
        _left[index] = _answerBytes;
        _ = _sockets[index].Send(s_request);
    }

    private bool IsAnswered(int index)
    {
        int received = _sockets[index].Receive(_buffer);
        if (received == 0 || received > _left[index])
        {
            throw new InvalidOperationException($"{received} bytes came of an answer of {_answerBytes}, of which {_left[index]} were left");
        }

        return (_left[index] -= received) == 0;
    }
}

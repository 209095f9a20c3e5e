using System.Buffers;
using System.Diagnostics;

namespace Ioxide.Http2;

/// <summary>One stream: its id, its windows, its ends, and what its exchange has submitted. Reusable, together with its exchange.</summary>
/// <remarks>
/// <para>Two sides meet here. The reactor owns everything but what the gate guards; the application, one thread at a time, comes by
/// <see cref="Submit"/> and <see cref="WaitForRoomAsync"/>.</para>
/// <para>States (RFC 9113, section 5.1): open until <see cref="HasReceivedEnd"/> or <see cref="HasSentEnd"/>; half closed with one of them; closed
/// with both, or by a reset of either side (<see cref="IsClosed"/>). The object is released when it is closed and <see cref="IsHandlerDone"/>.</para>
/// </remarks>
internal sealed partial class Http2Stream
{
    private long _receiveLeft;
    private long _streamCredit;
    private int _unread;
    private long _received;

    internal Http2Stream(Http2Connection connection, Http2Application application)
    {
        Connection = connection;
        Place = new LinkedListNode<Http2Stream>(this);
        Exchange = application.NewExchange(this);
        Run = new PlacedRun(this);
    }

    internal Http2Connection Connection { get; }

    /// <summary>The application's side.</summary>
    internal HttpExchange Exchange { get; }

    /// <summary>What the application does for it behind its awaits.</summary>
    internal PlacedRun Run { get; }

    /// <summary>The answer's bytes.</summary>
    internal AnswerQueue Bytes { get; } = new();

    internal int StreamId { get; private set; }

    /// <summary>Bytes that may still be sent; below 0 if the peer reduced the window.</summary>
    internal long SendWindow { get; set; }

    internal bool HasReceivedEnd { get; private set; }

    internal bool HasSentEnd { get; private set; }

    internal bool IsClosedBothWays => HasReceivedEnd && HasSentEnd;

    internal bool IsClosed { get; set; }

    /// <summary>Its place among the connection's streams that wait for a window or for room. A closed stream has none.</summary>
    internal LinkedListNode<Http2Stream> Place { get; }

    internal bool IsBlocked => Place.List is not null;

    internal bool IsReleased { get; set; }

    /// <summary>The request's Content-Length.</summary>
    internal long? DeclaredLength { get; set; }

    /// <summary>Bytes of the body that arrived. Threads: any.</summary>
    internal long Received => Volatile.Read(ref _received);

    /// <summary>A request begins.</summary>
    internal void Begin(int streamId, bool endsStream, long sendWindow)
    {
        StreamId = streamId;
        SendWindow = sendWindow;
        HasReceivedEnd = endsStream;
        HasSentEnd = false;
        IsClosed = false;
        IsReleased = false;
        DeclaredLength = null;
        _receiveLeft = Connection.Options.StreamWindow;
        _streamCredit = 0;
        _unread = 0;
        _received = 0;
        Run.Begin();
        BeginSending();
        Exchange.Begin();
    }

    /// <summary>The request is over: none of its state is kept.</summary>
    /// <returns>False if application code still holds the object, which must not be used again.</returns>
    internal bool TryForget()
    {
        Debug.Assert(!_isPosted || IsReleased);
        Bytes.Clear();
        ForgetFlushToken();
        return Exchange.TryForget(_isBroken);
    }

    /// <summary>DATA arrived.</summary>
    /// <param name="payload">Without padding.</param>
    /// <param name="charged">Bytes charged to the windows, padding included.</param>
    /// <param name="isEnd">Whether the request ends with it.</param>
    internal Http2Fault OnData(in ReadOnlySequence<byte> payload, int charged, bool isEnd)
    {
        Debug.Assert(!HasReceivedEnd);
        _unread += charged;
        if (charged > _receiveLeft)
        {
            return Http2Fault.Stream(Http2ErrorCode.FlowControlError, "DATA is longer than the stream's window.");
        }

        _receiveLeft -= charged;
        int length = (int)payload.Length;
        _received += length;
        if (DeclaredLength is { } declared && _received > declared)
        {
            return Http2Fault.Stream(Http2ErrorCode.ProtocolError, "The request's body is longer than its Content-Length.");
        }

        // A request that is refused for its fields has no body, and what comes of one is dropped.
        if (length > 0 && Exchange.Body.HasBody)
        {
            Exchange.Body.OnData(payload, _received, isEnd);
        }

        if (charged > length)
        {
            Connection.Credit(this, charged - length);
        }

        return isEnd ? OnEnd() : default;
    }

    /// <summary>The request is complete.</summary>
    internal Http2Fault OnEnd()
    {
        if (DeclaredLength is { } declared && _received != declared)
        {
            return Http2Fault.Stream(Http2ErrorCode.ProtocolError, "The request's body is shorter than its Content-Length.");
        }

        HasReceivedEnd = true;
        Exchange.Body.OnEnd();
        return default;
    }

    /// <summary>Credits the bytes that the application has read.</summary>
    /// <returns>The stream's window update for the peer now, or 0; and the connection window's share.</returns>
    internal (int Increment, int Freed) TakeCredit(int bytes)
    {
        int freed = Math.Min(bytes, _unread);
        _unread -= freed;
        _streamCredit += freed;
        if (HasReceivedEnd || IsClosed || _streamCredit < Math.Max(1, Connection.Options.StreamWindow / 2))
        {
            return (0, freed);
        }

        int increment = (int)_streamCredit;
        _streamCredit = 0;
        _receiveLeft += increment;
        return (increment, freed);
    }

    /// <summary>Drops received, unread bytes; returns their number.</summary>
    internal int DropUnread()
    {
        int dropped = _unread;
        _unread = 0;
        return dropped;
    }

    /// <summary>The stream is aborted: reads fail, writes are dropped, and <c>RequestAborted</c> fires.</summary>
    /// <param name="reason">Of the exception that reads throw.</param>
    /// <param name="cause">What is inside of it.</param>
    /// <returns>Bytes received and not read.</returns>
    internal int Break(string reason, Exception? cause)
    {
        Exchange.Body.Break(new IOException(reason, cause));
        _gate.Enter();
        _isBroken = true;
        bool isAbort = !_isAbortSilenced;
        _gate.Exit();
        Bytes.DropReady();
        CompleteFlush();
        if (isAbort)
        {
            Exchange.FireAborted();
        }

        return DropUnread();
    }

    /// <summary>The object is not used again.</summary>
    internal void Discard() => Bytes.Discard();
}

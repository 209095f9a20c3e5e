namespace Ioxide;

/// <summary>
/// Whether the server has begun to read an accepted connection's first message, which its listener waits for before a stop is over, and where
/// that message begins.
/// </summary>
internal sealed class FirstRead(RingListener listener)
{
    private Stage _stage;

    /// <summary>What the server's next read is: its first, one before the peer's first message, or neither.</summary>
    private enum Stage
    {
        Expected,
        Prologue,
        Begun,
    }

    /// <summary>The prologue's length in bytes.</summary>
    internal long PrologueEnd { get; private set; }

    /// <summary>
    /// From here on, reads come before the peer's first message: a TLS handshake or a PROXY protocol header. A stop gives a young
    /// connection time for its first message.
    /// </summary>
    /// <remarks>Threads: the reactor's. The reads of a prologue that fails end with the connection.</remarks>
    internal void BeginPrologue() => Interlocked.CompareExchange(ref _stage, Stage.Prologue, Stage.Expected);

    /// <summary>Everything consumed so far was the prologue.</summary>
    internal void EndPrologue(RingConnection connection)
    {
        PrologueEnd = connection.Receiver.Bytes.Consumed;
        Interlocked.CompareExchange(ref _stage, Stage.Expected, Stage.Prologue);
    }

    /// <summary>The server reads. Threads: any.</summary>
    internal void Note()
    {
        if (_stage == Stage.Expected && Interlocked.CompareExchange(ref _stage, Stage.Begun, Stage.Expected) == Stage.Expected)
        {
            listener.NoteFirstRead();
        }
    }

    /// <summary>The connection has ended, read or not.</summary>
    internal void End()
    {
        if (Interlocked.Exchange(ref _stage, Stage.Begun) != Stage.Begun)
        {
            listener.NoteFirstRead();
        }
    }
}

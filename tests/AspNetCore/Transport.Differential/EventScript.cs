namespace Ioxide.AspNetCore.Tests;

/// <summary>What the client's bytes are to the server.</summary>
internal enum ServedAs
{
    Upgraded,
    Body,
    Chunked,
    Raw,
}

/// <summary>How the client's side ends, right behind its last byte.</summary>
internal enum PeerEnd
{
    Fin,
    Reset,

    /// <summary>Never: the server's limit for slow bodies ends the request, and that for idle connections ends the connection.</summary>
    Silence,
}

/// <summary>How the handler reads, always with the token of its request or connection.</summary>
internal enum Reads
{
    /// <summary>A read of no byte waits for some, as a proxy's does; a second one takes them.</summary>
    EmptyFirst,
    Buffer,
    Pipe,

    /// <summary>All is examined and nothing consumed, until the end.</summary>
    Peek,

    /// <summary>Each read of the pipe is cancelled before it begins, and the next one takes bytes.</summary>
    CancelFirst,
}

/// <summary>What the handler does between two reads.</summary>
internal enum Gap
{
    None,
    Yield,
    Spin,
}

/// <summary>One run: what the client does and how the handler reads it. Drawn by its number.</summary>
/// <param name="Number">Its seed.</param>
/// <param name="As">What the bytes are.</param>
/// <param name="End">How the client ends.</param>
/// <param name="Reads">How the handler reads.</param>
/// <param name="Gap">What it does between two reads.</param>
/// <param name="LengthBytes">How many bytes the client sends.</param>
/// <param name="PieceBytes">In pieces of this length.</param>
/// <param name="IsWhole">A body ends before the client does.</param>
/// <param name="PausesBeforeEnd">The end comes by itself.</param>
/// <param name="IsAtOnce">The client does not wait until the handler reads.</param>
internal sealed record EventScript(
    int Number, ServedAs As, PeerEnd End, Reads Reads, Gap Gap, int LengthBytes, int PieceBytes, bool IsWhole, bool PausesBeforeEnd,
    bool IsAtOnce)
{
    // A limit for slow bodies and idle connections takes seconds to strike.
    private const int ScriptsPerSilence = 100;

    internal static byte[] Answer { get; } = "answer"u8.ToArray();

    internal static EventScript Draw(int number)
    {
        var random = new Random(number);
        ServedAs servedAs = Pick<ServedAs>(random);
        PeerEnd end = random.Next(3) == 0 ? PeerEnd.Reset : PeerEnd.Fin;
        if (number % ScriptsPerSilence == 1)
        {
            (servedAs, end) = (random.Next(2) == 0 ? ServedAs.Body : ServedAs.Chunked, PeerEnd.Silence);
        }

        // Many bytes would satisfy the limit for long.
        int lengthBytes = end != PeerEnd.Silence && random.Next(4) == 0 ? random.Next(1, 20_000) : random.Next(1, 9);
        return new EventScript(
            number, servedAs, end,
            Pick<Reads>(random),
            Pick<Gap>(random),
            lengthBytes,
            random.Next(2) == 0 ? lengthBytes : Math.Max(1, lengthBytes / 3),
            end != PeerEnd.Reset && random.Next(3) > 0,
            random.Next(4) == 0,
            end == PeerEnd.Fin && random.Next(3) == 0);
    }

    /// <summary>How the handler's reads end, by HTTP and the kernel alone.</summary>
    /// <remarks>
    /// Over the sockets transport bytes before a reset may be dropped, a token may pass the last bytes, and a whole body whose last bytes
    /// come together with the FIN is a 400.
    /// </remarks>
    internal string ExpectedEnd => (As, End) switch
    {
        (ServedAs.Body or ServedAs.Chunked, _) when IsWhole => "end",
        (_, PeerEnd.Reset) => "reset",
        (_, PeerEnd.Silence) => "408",
        (ServedAs.Body or ServedAs.Chunked, _) => "400",
        _ => "end",
    };

    /// <summary>
    /// Kestrel reads a chunked body ahead, into a pipe of its own. It cancels the request's token where it meets the end there, whether the
    /// handler reads then or not. Over sockets too.
    /// </summary>
    internal bool MayEndCancelled => As == ServedAs.Chunked && End == PeerEnd.Fin && !IsWhole;

    private static T Pick<T>(Random random)
        where T : struct, Enum => Enum.GetValues<T>()[random.Next(Enum.GetValues<T>().Length)];
}

namespace Ioxide.Simulation;

/// <summary>The far end of a connection, outside of the ring: it acts, and says what it saw.</summary>
internal abstract class Client(Stage stage, int number) : IDisposable
{
    private const ulong KeyDistance = 0x1_0000_0001_0000;

    /// <summary>What a read returns where a reset came.</summary>
    protected const int WasReset = -2;

    /// <summary>What a read returns where nothing came in time.</summary>
    protected const int CameNothing = -1;

    private long _readBytes;

    internal int Number => number;

    /// <summary>The server's end, once it has a descriptor.</summary>
    internal Pair? Pair { get; set; }

    /// <summary>The key of the bytes that it sends.</summary>
    internal ulong InboundKey => InboundKeyOf(number);

    /// <summary>The key of the bytes that it must get.</summary>
    internal ulong OutboundKey => KeyDistance * (ulong)((2 * number) + 2);

    /// <summary>What comes is kept and not compared with the pattern.</summary>
    internal bool KeepsWhatItReads { get; set; }

    internal List<byte> Kept { get; } = [];

    protected Stage Stage => stage;

    protected long SentBytes { get; private set; }

    /// <summary>Sends so many bytes and returns when the server's kernel has them.</summary>
    internal Stage Send(int count)
    {
        bool isSent = SendQuietly(count);
        stage.Note($"> client {number} {(isSent ? "sends" : "cannot send")} {count}");
        return stage;
    }

    /// <summary>Sends without a note, which belongs to the thread of the stage.</summary>
    internal bool SendQuietly(int count)
    {
        byte[] bytes = new byte[count];
        Pattern.Fill(bytes, InboundKey, SentBytes);
        SentBytes += count;
        return SendNow(bytes);
    }

    /// <summary>Says that it sends no more.</summary>
    internal Stage Finish()
    {
        stage.Note($"> client {number} finishes");
        FinishNow();
        return stage;
    }

    /// <summary>Closes behind all that came, so that this is a FIN. What comes later is answered by a reset.</summary>
    internal Stage Close()
    {
        stage.Note($"> client {number} closes");
        CloseNow();
        return stage;
    }

    internal Stage Reset()
    {
        stage.Note($"> client {number} resets");
        ResetNow();
        return stage;
    }

    /// <summary>Reads so many bytes, or up to the end, and notes how many came and whether they are right.</summary>
    internal void Read(int count)
    {
        int total = 0;
        int last = 1;
        byte[] chunk = new byte[Math.Min(count, 1 << 16)];
        bool isRight = true;
        while (total < count && last > 0)
        {
            last = ReadNow(chunk.AsSpan(0, Math.Min(chunk.Length, count - total)), isPatient: true);
            isRight &= last <= 0 || Check(chunk.AsSpan(0, last));
            total += Math.Max(0, last);
        }

        string end = last > 0 ? "" : $", then {Word(last)}";
        stage.Note($"client {number} reads {total} bytes{end}{(isRight ? "" : ", wrong ones")}");
    }

    /// <summary>Reads what is there and returns how many bytes that were, without a note.</summary>
    internal int ReadSome(int most)
    {
        byte[] chunk = new byte[most];
        int count = ReadNow(chunk, isPatient: false);
        if (count > 0 && !Check(chunk.AsSpan(0, count)))
        {
            stage.Note($"client {number} reads wrong bytes");
        }

        return Math.Max(0, count);
    }

    /// <summary>Notes what comes next: nothing, a byte, the end, a reset.</summary>
    internal void Look() => LookFor(isPatient: true);

    /// <summary>Notes what came by now, where nothing is expected.</summary>
    internal void Glance() => LookFor(isPatient: false);

    internal static ulong InboundKeyOf(int number) => KeyDistance * (ulong)((2 * number) + 1);

    public abstract void Dispose();

    protected abstract bool SendNow(byte[] bytes);

    protected abstract void FinishNow();

    protected abstract void CloseNow();

    protected abstract void ResetNow();

    /// <summary>Returns the count, 0 at the end, <see cref="CameNothing"/> or <see cref="WasReset"/>.</summary>
    protected abstract int ReadNow(Span<byte> target, bool isPatient);

    private void LookFor(bool isPatient)
    {
        Span<byte> target = stackalloc byte[1];
        int result = ReadNow(target, isPatient);
        bool isRight = result <= 0 || Check(target);
        stage.Note($"client {number} sees {Word(result)}{(isRight ? "" : ", a wrong one")}");
    }

    private bool Check(ReadOnlySpan<byte> bytes)
    {
        if (KeepsWhatItReads)
        {
            Kept.AddRange(bytes);
            return true;
        }

        bool isRight = Pattern.FindForeign(bytes, OutboundKey, _readBytes) < 0;
        _readBytes += bytes.Length;
        return isRight;
    }

    private static string Word(int result) => result switch
    {
        WasReset => "a reset",
        CameNothing => "nothing",
        0 => "the end",
        _ => "a byte",
    };
}

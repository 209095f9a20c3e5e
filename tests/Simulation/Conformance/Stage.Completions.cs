using System.Diagnostics;

namespace Ioxide.Simulation;

/// <summary>Entering, and reading what came.</summary>
internal abstract partial class Stage
{
    // 200 waits of 10 ms: what has not come by then does not come.
    private const int MostWaits = 200;
    private const long WaitNs = 10_000_000;
    private const int FillerBytes = 1 << 20;

    /// <summary>Enters once, and notes what it returned and whether a long wait ended early.</summary>
    internal Stage Enter(uint minComplete = 0, int timeoutMs = 0, uint minimumWaitUs = 0)
    {
        const long NanosecondsPerMillisecond = 1_000_000;
        const int LongWaitMs = 1000;
        long started = Kernel.Timestamp();
        int result;
        do
        {
            result = Ring.SubmitAndWait(minComplete, timeoutMs * NanosecondsPerMillisecond, minimumWaitUs);
        }
        while (result == -Errno.EINTR);
        long lastedMs = (Kernel.Timestamp() - started) * 1000 / Stopwatch.Frequency;
        string end = timeoutMs < LongWaitMs ? "" : lastedMs < timeoutMs ? ", early" : ", late";
        Note($"> enter for {minComplete}: {Name(result)}{end}");
        return this;
    }

    /// <summary>Enters once, and what clients do happens while it waits.</summary>
    internal void EnterWhile(uint minComplete, int timeoutMs, Action action, uint minimumWaitUs = 0)
        => While(action, () => Enter(minComplete, timeoutMs, minimumWaitUs));

    /// <summary>Reads what lies in the completion queue, without entering.</summary>
    internal void Take()
    {
        Note("> take");
        _transcript.AddRange(ReadAll());
    }

    /// <summary>Enters until so many completions have come, and until no more come.</summary>
    /// <param name="count">Fewer than that are noted as missing.</param>
    /// <param name="inAnyOrder">The kernel promises which completions come, not their order.</param>
    internal void Collect(int count, bool inAnyOrder = false)
    {
        Note("> collect");
        var lines = new List<string>();
        CollectUntil(() => lines.Count >= count, lines);
        if (inAnyOrder)
        {
            lines.Sort(StringComparer.Ordinal);
        }

        _transcript.AddRange(lines);
        if (lines.Count < count)
        {
            Note($"only {lines.Count} of {count} completions came");
        }
    }

    /// <summary>The client reads until a send has ended and all that it sent has arrived.</summary>
    internal void Drain(string send, Client client)
    {
        Note($"> client {client.Number} reads while {send} goes on");
        Submission submission = _submissions[IndexOf(send)];
        var lines = new List<string>();
        long total = 0;
        CollectUntil(
            () =>
            {
                total += client.ReadSome(1 << 16);
                return submission.IsOver && total >= submission.Result;
            },
            lines);
        _transcript.AddRange(lines);
        Note($"client {client.Number} {(total == submission.Result ? "got" : "did not get")} what was sent");
    }

    /// <summary>Notes whether a client got the memory of a send as it was first, and then as it became.</summary>
    internal void NoteWhereOverwritten(Client client, ulong otherKey)
    {
        byte[] bytes = [.. client.Kept];
        int split = Pattern.FindForeign(bytes, client.OutboundKey, 0);
        bool isRest = split >= 0 && Pattern.FindForeign(bytes.AsSpan(split), otherKey, split) < 0;
        Note($"client {client.Number} got {(split > 0 ? "some" : split == 0 ? "none" : "all")} of the first bytes"
            + (isRest ? " and then the others" : ""));
    }

    internal void NoteSentBytesAsRead(string send, Client client) => NoteAsRead(_submissions[IndexOf(send)].Result, client);

    /// <summary>The client reads so many bytes, whose number is not the same on both stages.</summary>
    internal void NoteAsRead(int count, Client client)
    {
        int read = 0;
        for (int more = 1; read < count && more > 0; read += more)
        {
            more = client.ReadSome(count - read);
        }

        Note($"client {client.Number} {(read == count ? "got" : "did not get")} as many bytes as were sent");
    }

    /// <summary>Sends until not a byte more fits, and returns how many bytes that were.</summary>
    internal int FillUp(Pair pair)
    {
        const int MostRounds = 50;
        int total = 0;
        bool isSettled = false;
        Note($"> fill {pair.Name} up");
        for (int round = 0; round < MostRounds; round++)
        {
            int length = _transcript.Count;
            Send("filler", pair, FillerBytes);
            Submission filler = _submissions[^1];
            CollectUntil(static () => true, []);
            Cancel("end of the filler", "filler");
            CollectUntil(() => _submissions[^1].IsOver && filler.IsOver, []);
            _transcript.RemoveRange(length, _transcript.Count - length);
            if (filler.Result >= 0)
            {
                total += filler.Result;
                isSettled = false;
                continue;
            }

            if (isSettled)
            {
                return total;
            }

            Settle(pair);
            isSettled = true;
        }

        throw new InvalidOperationException($"The peer of {pair.Name} never stops taking bytes.");
    }

    private void CancelAll()
    {
        var lines = new List<string>();
        Submission[] running = [.. _submissions.Where(static each => !each.IsOver)];
        foreach (Submission submission in running.Where(static each => each.Opcode != Opcode.Nop))
        {
            Cancel($"cancel {submission.Name}", submission.Name);
        }

        CollectUntil(() => _submissions.TrueForAll(static each => each.IsOver), lines);
        _transcript.AddRange(lines);
    }

    private void CollectUntil(Func<bool> isDone, List<string> lines)
    {
        lines.AddRange(ReadAll());
        for (int wait = 0; wait < MostWaits && !isDone(); wait++)
        {
            _ = Ring.SubmitAndWait(1, WaitNs);
            lines.AddRange(ReadAll());
        }

        int before;
        do
        {
            before = lines.Count;
            _ = Ring.SubmitAndWait(0, 0);
            lines.AddRange(ReadAll());
        }
        while (lines.Count > before);
    }

    private List<string> ReadAll()
    {
        var lines = new List<string>();
        while (Ring.Cq.Ready > 0)
        {
            lines.Add(Describe(Ring.Cq.Read()));
        }

        Ring.Cq.Publish();
        return lines;
    }

    private string Describe(in Cqe completion)
    {
        int index = (int)completion.UserData - 1;
        if ((uint)index >= (uint)_submissions.Count || _submissions[index].IsOver)
        {
            return $"a completion of nobody: {completion.UserData}";
        }

        Submission submission = _submissions[index];
        submission.Result = completion.Result;
        submission.IsOver = (completion.Flags & CqeFlags.More) == 0;
        string result = Describe(submission, completion);
        return $"{submission.Name}: {result}{(submission.IsOver ? "" : ", more")}";
    }

    private string Describe(Submission submission, in Cqe completion)
    {
        switch (submission.Opcode)
        {
            case Opcode.Receive when completion.Result >= 0:
                return Received(submission, completion);
            case Opcode.Accept when completion.Result >= 0:
                return $"client {Accepted((ListenPlace)submission.Place!, completion.Result).Client.Number}";
            case Opcode.Send or Opcode.SendMessage:
                ((Pair)submission.Place!).SentBytes -= submission.LengthBytes - Math.Max(0, completion.Result);
                return DescribeSent(submission, completion.Result);
            case Opcode.Close when completion.Result == 0:
                submission.Place!.IsOpen = false;
                return "done";
            default:
                return Name(completion.Result);
        }
    }

    private static string DescribeSent(Submission submission, int result)
        => result < 0 ? Name(result) : result == submission.LengthBytes ? "all" : result == 0 ? "none" : "a part";

    private static string Received(Submission submission, in Cqe completion)
    {
        if ((completion.Flags & CqeFlags.Buffer) == 0)
        {
            return completion.Result == 0 ? "the end" : $"{completion.Result} bytes without a buffer";
        }

        int bufferId = (int)(completion.Flags >> CqeFlags.BufferShift);
        ReceiveSegment segment = submission.Buffers!.Take(bufferId, completion.Result);
        var pair = (Pair)submission.Place!;
        bool isRight = Pattern.FindForeign(segment.Memory.Span, pair.Client.InboundKey, pair.ReceivedBytes) < 0;
        pair.ReceivedBytes += completion.Result;
        return $"{completion.Result} bytes in buffer {bufferId}{(isRight ? "" : ", wrong ones")}";
    }

    private static string Name(int result) => result < 0 ? Errno.Name(-result) : result.ToString(System.Globalization.CultureInfo.InvariantCulture);
}

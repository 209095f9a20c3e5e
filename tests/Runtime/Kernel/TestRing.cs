namespace Ioxide.Tests;

/// <summary>A ring that the calling thread has enabled, without a reactor. A test that uses one must not await.</summary>
internal sealed unsafe class TestRing : IDisposable
{
    internal TestRing(uint sqEntries = 8, uint cqEntries = 16, bool restrict = true)
    {
        Ring = Ring.Create(new RingOptions(sqEntries, cqEntries, Restrict: restrict));
        Ring.Enable();
    }

    internal Ring Ring { get; }

    /// <summary>The next entry, of this operation and with this user data.</summary>
    internal Sqe* Next(Opcode opcode, ulong userData, SqeFlags flags = SqeFlags.None)
    {
        Sqe* entry = Ring.NextEntry();
        entry->Opcode = opcode;
        entry->Flags = flags;
        entry->UserData = userData;
        return entry;
    }

    /// <summary>Submits what there is and reads exactly so many completions.</summary>
    internal List<Cqe> Complete(int count)
    {
        List<Cqe> completions = CompleteAtLeast(count);
        Assert.Equal(count, completions.Count);
        return completions;
    }

    /// <summary>Submits what there is and reads so many completions or more, looking at most 1,000 times.</summary>
    internal List<Cqe> CompleteAtLeast(int count)
    {
        const long TenMilliseconds = 10_000_000;
        var completions = new List<Cqe>();
        for (int attempt = 0; attempt < 1000 && completions.Count < count; attempt++)
        {
            _ = Ring.SubmitAndWait(minComplete: 1, TenMilliseconds);
            while (Ring.Cq.Ready > 0)
            {
                completions.Add(Ring.Cq.Read());
            }

            Ring.Cq.Publish();
        }

        Assert.True(completions.Count >= count, $"{completions.Count} of {count} completions came.");
        return completions;
    }

    /// <summary>Submits the one entry that was prepared and gives its result.</summary>
    internal int CompleteOne() => Complete(1)[0].Result;

    public void Dispose()
    {
        Ring.ReleaseThread();
        Ring.Dispose();
    }
}

using System.Text;

namespace Ioxide.Tests;

/// <summary>
/// A ring hands every entry over and every completion back, in order, also where a queue is too small for what is put in.
/// Real rings of few entries, driven without a reactor.
/// </summary>
public unsafe class RingTests
{
    [Fact]
    public void CompletesWhatWasSubmitted()
    {
        using var ring = new TestRing();
        for (ulong index = 0; index < 5; index++)
        {
            ring.Next(Opcode.Nop, 100 + index);
        }

        Assert.Equal(5u, ring.Ring.Sq.Pending);
        List<Cqe> completions = ring.Complete(5);

        Assert.Equal([100UL, 101, 102, 103, 104], completions.Select(completion => completion.UserData));
        Assert.All(completions, completion => Assert.Equal((0, 0u), (completion.Result, completion.Flags)));
        Assert.Equal((0u, 5L, 0L, 0L), (ring.Ring.Sq.Pending, ring.Ring.Submissions, ring.Ring.FullSubmissionQueues, ring.Ring.Overflows));
    }

    [Fact]
    public void AnEntryIsZeroedThoughItsPlaceWasUsedBefore()
    {
        using var ring = new TestRing();
        for (int index = 0; index < 8; index++)
        {
            *ring.Next(Opcode.Nop, ulong.MaxValue) = new Sqe { Opcode = Opcode.Nop, Address3 = 7, FileIndex = 7, Length = 7 };
        }

        // The values mean nothing good to a NOP; only that the places were used counts.
        ring.Complete(8);
        Sqe* entry = ring.Ring.NextEntry();

        Assert.True(new ReadOnlySpan<byte>(entry, Sqe.SizeInBytes).IndexOfAnyExcept((byte)0) < 0);
        entry->Opcode = Opcode.Nop;
        ring.Complete(1);
    }

    [Fact]
    public void AFullSubmissionQueueIsSubmittedAndTakesMore()
    {
        using var ring = new TestRing(sqEntries: 8, cqEntries: 64);
        for (ulong index = 0; index < 20; index++)
        {
            ring.Next(Opcode.Nop, index);
        }

        List<Cqe> completions = ring.Complete(20);

        Assert.Equal(Enumerable.Range(0, 20).Select(index => (ulong)index), completions.Select(completion => completion.UserData));
        Assert.Equal((2L, 20L), (ring.Ring.FullSubmissionQueues, ring.Ring.Submissions));
    }

    [Fact]
    public void AnOverflowingCompletionQueueLosesNothingKeepsTheOrderAndIsCounted()
    {
        using var ring = new TestRing(sqEntries: 8, cqEntries: 16);
        for (ulong index = 0; index < 200; index++)
        {
            ring.Next(Opcode.Nop, index);
        }

        List<Cqe> completions = ring.Complete(200);

        Assert.Equal(16u, ring.Ring.Cq.Capacity);
        Assert.Equal(Enumerable.Range(0, 200).Select(index => (ulong)index), completions.Select(completion => completion.UserData));
        Assert.True(ring.Ring.Overflows > 0, "No overflow was seen.");
    }

    [Fact]
    public void AReservedPairIsSubmittedAsOneChain()
    {
        using var ring = new TestRing(sqEntries: 8, cqEntries: 16);
        for (ulong index = 0; index < 7; index++)
        {
            ring.Next(Opcode.Nop, index);
        }

        Assert.Equal(1u, ring.Ring.Sq.Free);
        ring.Ring.Reserve(2);
        Assert.Equal((8u, 1L), (ring.Ring.Sq.Free, ring.Ring.FullSubmissionQueues));

        // A hard link goes on behind a failure, and only then.
        ring.Next(Opcode.Read, 10, SqeFlags.HardLink)->Descriptor = -1;
        ring.Next(Opcode.Nop, 11);
        Cqe[] chain = [.. ring.Complete(9).Skip(7)];
        Assert.Equal([(10UL, -Errno.EBADF), (11UL, 0)], chain.Select(completion => (completion.UserData, completion.Result)));
    }

    [Fact]
    public void AReservationThatFitsSubmitsNothing()
    {
        using var ring = new TestRing(sqEntries: 8, cqEntries: 16);
        ring.Next(Opcode.Nop, 1);
        ring.Ring.Reserve(7);

        Assert.Equal((1u, 0L, 0L), (ring.Ring.Sq.Pending, ring.Ring.FullSubmissionQueues, ring.Ring.Enters));
        ring.Complete(1);
    }

    [Theory]
    [InlineData(0L, 0u)]
    [InlineData(3_000_000L, 0u)]
    [InlineData(3_000_000L, 50u)]
    public void AWaitEndsWithItsTimeoutWhereNothingCompletes(long timeoutNs, uint minimumWaitUs)
    {
        using var ring = new TestRing();
        if (minimumWaitUs > 0)
        {
            Assert.SkipUnless((ring.Ring.Features & RingFeatureFlags.MinimumTimeout) != 0, "The minimum wait needs Linux 6.12.");
        }

        Assert.Equal(-Errno.ETIME, ring.Ring.SubmitAndWait(1, timeoutNs, minimumWaitUs));
        Assert.Equal(0u, ring.Ring.Cq.Ready);
        ring.Next(Opcode.Nop, 1);
        ring.Complete(1);
    }

    [Fact]
    public void ARingHasTheSizesThatItWasAskedForAndTheModesOfThisKernel()
    {
        using var ring = new TestRing(sqEntries: 512, cqEntries: 4096);

        Assert.Equal((512u, 4096u), (ring.Ring.Sq.Capacity, ring.Ring.Cq.Capacity));
        Assert.True(ring.Ring.Flags.HasFlag(SetupFlags.SubmitAll | SetupFlags.SingleIssuer | SetupFlags.DeferTaskRun));
        Assert.True(ring.Ring.IsDescriptorRegistered);
        Assert.Contains("restricted, registered", ring.Ring.Describe(), StringComparison.Ordinal);
        if (Environment.OSVersion.Version >= new Version(6, 6))
        {
            Assert.True(ring.Ring.Flags.HasFlag(SetupFlags.NoSubmissionArray));
        }
    }

    [Fact]
    public void SizesBeyondTheKernelsAreClamped()
    {
        using var ring = new TestRing(sqEntries: 1 << 20, cqEntries: 1 << 21);

        Assert.Equal((32768u, 65536u), (ring.Ring.Sq.Capacity, ring.Ring.Cq.Capacity));
    }

    [Fact]
    public void SetupThatIsRefusedWithoutEveryOptionalFlagTooSaysSo()
    {
        // No kernel makes a ring of no entries, so every flag that may go is taken away before the answer is final.
        RingUnavailableException exception = Assert.Throws<RingUnavailableException>(() => Ring.Create(new RingOptions(0, 16)));

        Assert.Equal(Errno.EINVAL, exception.ErrorNumber);
        Assert.Contains("io_uring_setup failed with EINVAL", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ARingBelongsToTheThreadThatEnabledIt()
    {
        using var ring = new TestRing();
        int fd = ring.Ring.Descriptor;
        ring.Next(Opcode.Nop, 1);
        ring.Ring.Sq.Publish();
        int fromAnother = 0;
        var other = new Thread(() => fromAnother = Kernel.Linux.RingEnter(fd, 1, 0, EnterFlags.GetEvents, null, 0));
        other.Start();
        Assert.True(other.Join(TimeSpan.FromSeconds(20)));

        Assert.Equal(-Errno.EEXIST, fromAnother);
        Assert.Equal(1, Kernel.Linux.RingEnter(fd, 1, 1, EnterFlags.GetEvents, null, 0));
        Assert.Equal(1u, ring.Ring.Cq.Ready);
    }

    [Fact]
    public void AnOperationThatIsNotAllowedIsRefusedByTheRing()
    {
        using var ring = new TestRing();
        Assert.Equal(-Errno.EACCES, Open(ring));

        ring.Next(Opcode.Nop, 1);
        Assert.Equal(0, ring.CompleteOne());
    }

    [Fact]
    public void AnUnrestrictedRingAllowsTheSameOperation()
    {
        using var ring = new TestRing(restrict: false);
        int descriptor = Open(ring);

        Assert.True(descriptor >= 0, $"openat gave {descriptor}");
        Assert.Equal(0, Kernel.Linux.Close(descriptor));
    }

    [Theory]
    [InlineData(1 << 2, -Errno.EACCES)]
    [InlineData(1 << 4, -Errno.EACCES)]
    [InlineData(1 << 6, -Errno.EACCES)]
    [InlineData((int)SqeFlags.HardLink, 0)]
    public void AnEntrysFlagIsRefusedUnlessTheRuntimeUsesIt(int flag, int expected)
    {
        using var ring = new TestRing();
        ring.Next(Opcode.Nop, 1, (SqeFlags)flag);

        Assert.Equal(expected, ring.CompleteOne());
    }

    [Fact]
    public void ARegistrationThatIsNotAllowedIsRefusedByTheRing()
    {
        OperationProbe probe = default;
        using var ring = new TestRing();
        Assert.Equal(-Errno.EACCES, Kernel.Linux.RingRegister(ring.Ring.Descriptor, RegisterOpcode.Probe, &probe, OperationProbe.MaxOperations));

        using var free = new TestRing(restrict: false);
        Assert.Equal(0, Kernel.Linux.RingRegister(free.Ring.Descriptor, RegisterOpcode.Probe, &probe, OperationProbe.MaxOperations));
        Assert.True(probe.Supports(Opcode.Nop));
    }

    [Fact]
    public void ClosingTwiceDoesNothing()
    {
        var ring = new TestRing();
        ring.Dispose();

        ring.Ring.Dispose();
        Assert.True(ring.Ring.IsDisposed);
    }

    private static int Open(TestRing ring)
    {
        const int RelativeToWorkingDirectory = -100;
        fixed (byte* path = Encoding.ASCII.GetBytes("/dev/null\0"))
        {
            Sqe* entry = ring.Next(Opcode.OpenAt, 1);
            entry->Descriptor = RelativeToWorkingDirectory;
            entry->Address = (ulong)path;
            return ring.CompleteOne();
        }
    }
}

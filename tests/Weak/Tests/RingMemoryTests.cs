using System.Reflection;
using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>
/// The memory that a reactor shares with the kernel: both queues of a ring and the ring of buffers. The kernel is a thread that takes and posts
/// as io_uring does, with an acquire for what the other side writes and a release for what it reads.
/// </summary>
public sealed unsafe class RingMemoryTests
{
    private const int Races = 10;
    private const int Receives = 2000;
    private const int BufferBytes = 32;
    private const int Buffers = 8;
    private const int SqEntries = 8;
    private const int CqEntries = 8;
    private const int NoBuffer = -105;

    [Fact]
    public void EachReceiveEndsOnceInOrderAndItsBytesStayUntilTheBufferIsReturned()
    {
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            using var shared = new SharedMemory();
            var sq = new SubmissionQueue(shared.Queues, shared.Entries, shared.Params);
            var cq = new CompletionQueue(shared.Queues, shared.Params);
            using var buffers = new BufferRing(RingOn(shared.Kernel), 0, BufferBytes, Buffers, Buffers);
            var kernel = new PlayedRing(shared);
            Race.Run(race, random => Receive(random, sq, cq, buffers), kernel.Run);
            Assert.Equal(Receives, kernel.Taken);
        }
    }

    private static void Receive(Random random, SubmissionQueue sq, CompletionQueue cq, BufferRing buffers)
    {
        List<(ReceiveSegment Segment, ulong Name)> held = [];
        ulong submitted = 0;
        ulong completed = 0;
        while (completed < Receives)
        {
            for (int count = random.Next(SqEntries + 1); count > 0 && submitted < Receives && sq.Free > 0; count--)
            {
                Sqe* entry = sq.Take();
                entry->Opcode = Opcode.Receive;
                entry->UserData = ++submitted;
                entry->Length = BufferBytes;
            }

            sq.Publish();
            uint end = cq.Tail;
            for (int count = random.Next(CqEntries + 1); count > 0 && cq.IsBefore(end); count--)
            {
                Cqe completion = cq.Read();
                Assert.Equal(++completed, completion.UserData);
                if (completion.Result == NoBuffer)
                {
                    continue;
                }

                ReceiveSegment segment = buffers.Take((int)(completion.Flags >> 16), completion.Result);
                AssertHolds(segment, completion.UserData);
                held.Add((segment, completion.UserData));
            }

            cq.Publish();
            for (int count = random.Next(Buffers + 1); count > 0 && held.Count > 0; count--)
            {
                // In any order, so that places of the ring change their buffers.
                (ReceiveSegment segment, ulong name) = held[random.Next(held.Count)];
                held.Remove((segment, name));
                AssertHolds(segment, name);
                buffers.Return(segment);
            }

            buffers.Publish();
            Race.Yield("the kernel");
        }
    }

    private static void AssertHolds(ReceiveSegment segment, ulong name)
        => Assert.True(segment.Memory.Span.IndexOfAnyExcept((byte)name) < 0, $"Receive {name} has bytes of another in buffer {segment.BufferId}.");

    /// <summary>A ring that has nothing but a kernel.</summary>
    private static Ring RingOn(Kernel kernel)
    {
        var ring = (Ring)RuntimeHelpers.GetUninitializedObject(typeof(Ring));
        typeof(Ring).GetField("_kernel", BindingFlags.Instance | BindingFlags.NonPublic)!.SetValue(ring, kernel);
        return ring;
    }

    /// <summary>The kernel's side.</summary>
    private sealed class PlayedRing(SharedMemory shared)
    {
        private uint _sqHead;
        private uint _cqTail;

        internal int Taken { get; private set; }

        internal void Run(Random random)
        {
            BufferGroup group = new((BufferRingEntry*)shared.Kernel.Registered, Buffers);
            while (Taken < Receives)
            {
                if (Volatile.Read(ref *shared.At(shared.Params.SqOffsets.Tail)) == _sqHead)
                {
                    Race.Yield("a submission");
                    continue;
                }

                Sqe entry = shared.Entries[_sqHead & (SqEntries - 1)];
                Volatile.Write(ref *shared.At(shared.Params.SqOffsets.Head), ++_sqHead);
                Assert.Equal((ulong)++Taken, entry.UserData);
                BufferRingEntry* buffer = group.Next;
                if (buffer is null)
                {
                    Post(entry.UserData, NoBuffer, 0);
                    continue;
                }

                Assert.Equal((uint)BufferBytes, buffer->Length);
                ushort id = buffer->BufferId;
                int bytes = random.Next(1, BufferBytes + 1);
                NativeMemory.Fill((void*)buffer->Address, BufferBytes, (byte)entry.UserData);
                group.Take();
                Post(entry.UserData, bytes, (uint)id << 16);
            }
        }

        private void Post(ulong name, int result, uint flags)
        {
            Race.Until(() => _cqTail - Volatile.Read(ref *shared.At(shared.Params.CqOffsets.Head)) < CqEntries, "room in the completion queue");
            byte* entry = shared.Queues + shared.Params.CqOffsets.Cqes + ((_cqTail & (CqEntries - 1)) * Cqe.SizeInBytes);
            *(ulong*)entry = name;
            *(int*)(entry + 8) = result;
            *(uint*)(entry + 12) = flags;
            Volatile.Write(ref *shared.At(shared.Params.CqOffsets.Tail), ++_cqTail);
        }
    }

    private sealed class SharedMemory : IDisposable
    {
        private const uint QueueBytes = 4096;

        private RingParams _params = new() { CqEntries = CqEntries, Flags = SetupFlags.NoSubmissionArray };

        internal SharedMemory()
        {
            fixed (RingParams* parameters = &_params)
            {
                EpollRing.Layout(SqEntries, parameters);
            }
        }

        internal byte* Queues { get; } = (byte*)NativeMemory.AllocZeroed(QueueBytes);

        internal Sqe* Entries { get; } = (Sqe*)NativeMemory.AllocZeroed(SqEntries, Sqe.SizeInBytes);

        internal ref readonly RingParams Params => ref _params;

        internal RegisteringKernel Kernel { get; } = new();

        internal uint* At(uint offset) => (uint*)(Queues + offset);

        public void Dispose()
        {
            NativeMemory.Free(Queues);
            NativeMemory.Free(Entries);
        }
    }

    /// <summary>Notes where the buffers lie.</summary>
    private sealed class RegisteringKernel : Kernel
    {
        internal ulong Registered { get; private set; }

        internal override int RingRegister(int fd, RegisterOpcode opcode, void* argument, uint count)
        {
            if (opcode == RegisterOpcode.BufferRing)
            {
                Registered = ((BufferRingRegistration*)argument)->RingAddress;
            }

            return 0;
        }

        [DoesNotReturn]
        internal override void Fail(string what, string state) => throw new InvalidOperationException($"{what}: {state}");
    }
}

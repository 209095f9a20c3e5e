using System.Net;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide.Simulation;

/// <summary>Entries, as the runtime writes them: those of one batch stand in one chain, before what it brings.</summary>
internal abstract unsafe partial class Stage
{
    private const ulong UserDataOfNobody = 1 << 20;

    private readonly List<Submission> _submissions = [];

    internal Stage Nop(string name = "nop", bool isLinked = false) => Add(new Submission(name, Opcode.Nop, null), isLinked);

    internal Stage Receive(string name, Pair pair, ushort group = 0, bool isMultishot = true, bool pollsFirst = false)
    {
        _ = _groups.TryGetValue(group, out LentBuffers? buffers);
        Sqe* entry = Next(new Submission(name, Opcode.Receive, pair) { Buffers = buffers });
        int multishot = isMultishot ? OperationFlags.ReceiveMultishot : 0;
        entry->IoPriority = (ushort)(multishot | (pollsFirst ? OperationFlags.PollFirst : 0));
        entry->Flags |= SqeFlags.BufferSelect;
        entry->BufferGroup = group;
        return this;
    }

    internal Stage Send(string name, Pair pair, int count, bool waitsForAll = true)
    {
        byte[] memory = Outgoing(pair, count);
        Sqe* entry = Next(new Submission(name, Opcode.Send, pair) { Memory = memory, LengthBytes = count });
        entry->Address = (ulong)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(memory));
        entry->Length = (uint)count;
        entry->OperationFlags = SocketConstants.MessageNoSignal | (waitsForAll ? SocketConstants.MessageWaitAll : 0);
        return this;
    }

    /// <summary>One send of several pieces of memory.</summary>
    internal Stage SendVectors(string name, Pair pair, params int[] lengths)
    {
        int count = lengths.Sum();
        byte[] memory = Outgoing(pair, count);
        int blockBytes = MessageHeader.SizeInBytes + (lengths.Length * IoVector.SizeInBytes);
        byte[] block = GC.AllocateArray<byte>(blockBytes, pinned: true);
        var header = (MessageHeader*)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(block));
        var vector = (IoVector*)((byte*)header + MessageHeader.SizeInBytes);
        header->Vectors = (ulong)vector;
        header->VectorCount = (ulong)lengths.Length;
        ulong start = (ulong)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(memory));
        foreach (int length in lengths)
        {
            *vector++ = new IoVector { Base = start, Length = (ulong)length };
            start += (ulong)length;
        }

        Sqe* entry = Next(new Submission(name, Opcode.SendMessage, pair) { Memory = memory, Header = block, LengthBytes = count });
        entry->Address = (ulong)header;
        entry->Length = 1;
        entry->OperationFlags = SocketConstants.MessageNoSignal | SocketConstants.MessageWaitAll;
        return this;
    }

    /// <summary>Puts other bytes where a send in flight reads; the key that they have.</summary>
    internal ulong Overwrite(string name)
    {
        const ulong OtherKey = 0x7777_0000_0000;
        Pattern.Fill(_submissions[IndexOf(name)].Memory, OtherKey, 0);
        Note($"> overwrite the memory of {name}");
        return OtherKey;
    }

    internal Stage Accept(string name, ListenPlace listener, bool isMultishot = true)
    {
        Sqe* entry = Next(new Submission(name, Opcode.Accept, listener));
        entry->IoPriority = isMultishot ? OperationFlags.AcceptMultishot : (ushort)0;
        entry->OperationFlags = SocketConstants.CloseOnExec;
        return this;
    }

    internal Stage Poll(string name, Place place, bool isMultishot = true)
    {
        Sqe* entry = Next(new Submission(name, Opcode.PollAdd, place));
        entry->OperationFlags = SocketConstants.PollIn;
        entry->Length = isMultishot ? OperationFlags.PollMultishot : 0;
        return this;
    }

    /// <summary>Cancels the last entry of that name; one that there never was is not found.</summary>
    internal Stage Cancel(string name, string target, bool isLinked = false)
    {
        Sqe* entry = Next(new Submission(name, Opcode.AsyncCancel, null), isLinked);
        int index = IndexOf(target);
        entry->Descriptor = -1;
        entry->Address = index < 0 ? UserDataOfNobody : (ulong)index + 1;
        return this;
    }

    internal Stage Close(string name, Place place, bool isLinked = false) => Add(new Submission(name, Opcode.Close, place), isLinked);

    /// <summary>A new socket that connects.</summary>
    internal Place Connect(string name, ConnectTarget target)
    {
        EndPoint endPoint = Prepare(target);
        byte[] address = GC.AllocateArray<byte>(SocketAddress.MaxLengthBytes, pinned: true);
        uint length = SocketAddress.Write(endPoint, address);
        int number = Kernel.Socket(SocketConstants.FamilyInternet, SocketConstants.TypeStream | SocketConstants.CloseOnExec, 0);
        Place place = Keep(new Place(number, "connecting socket"));
        Sqe* entry = Next(new Submission(name, Opcode.Connect, place) { Memory = address });
        entry->Address = (ulong)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(address));
        entry->Offset = length;
        return place;
    }

    /// <summary>The silent target of a connect answers after all.</summary>
    internal void AnswerLate(Place place)
    {
        Note($"> the target of {place.Name} answers");
        Answer(place);
    }

    /// <summary>What a connect that succeeded has become.</summary>
    internal Pair Connected(Place place)
    {
        place.IsOpen = false;
        Configure(place.Number);
        var pair = new Pair(place.Number, MakeFarEnd(place, NextClientNumber()));
        pair.Client.Pair = pair;
        _clients.Add(pair.Client);
        _places.Add(pair);
        return pair;
    }

    private Stage Add(Submission submission, bool isLinked)
    {
        _ = Next(submission, isLinked);
        return this;
    }

    private Sqe* Next(Submission submission, bool isLinked = false)
    {
        Note($"> {submission.Name}{(isLinked ? ", linked" : "")}");
        _submissions.Add(submission);
        Sqe* entry = Ring.NextEntry();
        entry->Opcode = submission.Opcode;
        entry->Flags = isLinked ? SqeFlags.HardLink : SqeFlags.None;
        entry->Descriptor = submission.Place?.Number ?? -1;
        entry->UserData = (ulong)_submissions.Count;
        return entry;
    }

    private int IndexOf(string name) => _submissions.FindLastIndex(each => each.Name == name);

    private static byte[] Outgoing(Pair pair, int count)
    {
        byte[] memory = GC.AllocateUninitializedArray<byte>(Math.Max(1, count), pinned: true);
        Pattern.Fill(memory.AsSpan(0, count), pair.Client.OutboundKey, pair.SentBytes);
        pair.SentBytes += count;
        return memory;
    }
}

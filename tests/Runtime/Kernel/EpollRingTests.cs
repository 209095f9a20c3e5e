using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide.Tests;

/// <summary>A ring that is played over epoll, where no conformance script goes: files, listeners of others, unix sockets, other threads.</summary>
public sealed unsafe class EpollRingTests : IDisposable
{
    private const int FileBytes = 3_000_000;
    private const long SecondNs = 1_000_000_000;

    private readonly EpollKernel _kernel = new();
    private readonly Ring _ring;

    public EpollRingTests()
    {
        _ring = Ring.Create(new RingOptions(SqEntries: 8, CqEntries: 16), _kernel);
        _ring.Enable();
    }

    public void Dispose()
    {
        _ring.ReleaseThread();
        _ring.Dispose();
    }

    [Theory, Each(FileBytes, 40_960, 0)]
    public void AFileIsReadFromMemoryAndFromTheDisk(int bytesInMemory)
    {
        byte[] content = new byte[FileBytes];
        new Random(1).NextBytes(content);
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, content);
            using SafeHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite);
            int descriptor = (int)file.DangerousGetHandle();
            if (bytesInMemory < FileBytes)
            {
                RandomAccess.FlushToDisk((Microsoft.Win32.SafeHandles.SafeFileHandle)file);
                Forget(descriptor);
                _ = RandomAccess.Read((Microsoft.Win32.SafeHandles.SafeFileHandle)file, new byte[bytesInMemory], 0);
            }

            byte[] bytes = GC.AllocateArray<byte>(FileBytes + 10, pinned: true);
            Sqe* entry = Next(Opcode.Read, descriptor, userData: 1);
            entry->Address = AddressOf(bytes);
            entry->Length = (uint)bytes.Length;
            Assert.Equal((1UL, FileBytes), Take());
            Assert.True(content.AsSpan().SequenceEqual(bytes.AsSpan(0, FileBytes)));
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>A pipe, a terminal or a queue of inotify has no place to read at.</summary>
    [Theory, AllValues]
    public void AReadOfAStreamWaitsForItsBytes(bool isCancelled)
    {
        using var pipe = new AnonymousPipeServerStream(PipeDirection.Out);
        int descriptor = (int)pipe.ClientSafePipeHandle.DangerousGetHandle();
        byte[] bytes = GC.AllocateArray<byte>(8, pinned: true);
        Sqe* entry = Next(Opcode.Read, descriptor, userData: 1);
        entry->Address = AddressOf(bytes);
        entry->Length = (uint)bytes.Length;
        AssertFirstWaits();
        if (isCancelled)
        {
            CancelFirst();
            return;
        }

        pipe.Write("bytes"u8);
        Assert.Equal((1UL, 5), Take());
        Assert.Equal("bytes"u8, bytes.AsSpan(0, 5));
        Assert.False(EpollCalls.IsNonBlocking(descriptor));
    }

    [Fact]
    public void AListenerKeepsItsBlockingMode()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(4);
        int descriptor = (int)listener.Handle;
        Next(Opcode.Accept, descriptor, userData: 1)->IoPriority = OperationFlags.AcceptMultishot;
        Assert.Equal(1, _ring.SubmitAndWait(1, SecondNs / 50));
        for (int client = 0; client < 3; client++)
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            socket.Connect(listener.LocalEndPoint!);
            (ulong userData, int accepted) = Take();
            Assert.Equal(1UL, userData);
            Assert.True(accepted >= 0, $"accept gave {accepted}");
            Assert.Equal(0, _kernel.Close(accepted));
            Assert.False(EpollCalls.IsNonBlocking(descriptor));
        }
    }

    [Theory, AllValues]
    public void AConnectWaitsForAUnixListenerWhoseQueueIsFull(bool isCancelled)
    {
        string path = Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}");
        var endPoint = new UnixDomainSocketEndPoint(path);
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(endPoint);
        listener.Listen(0);
        using var first = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        first.Connect(endPoint);
        int descriptor = _kernel.Socket(SocketConstants.FamilyUnix, SocketConstants.TypeStream | SocketConstants.CloseOnExec, 0);
        byte[] address = GC.AllocateArray<byte>(SocketAddress.MaxLengthBytes, pinned: true);
        Sqe* entry = Next(Opcode.Connect, descriptor, userData: 1);
        entry->Offset = SocketAddress.Write(endPoint, address);
        entry->Address = AddressOf(address);
        AssertFirstWaits();
        if (isCancelled)
        {
            CancelFirst();
        }
        else
        {
            listener.Accept().Dispose();
            Assert.Equal((1UL, 0), Take());
        }

        Assert.False(EpollCalls.IsNonBlocking(descriptor));
        Assert.Equal(0, _kernel.Close(descriptor));
        File.Delete(path);
    }

    [Fact]
    public void ARingThatIsClosedWhileItSleepsRefusesTheNextEnter()
    {
        int counter = _kernel.EventDescriptor();
        Sqe* entry = Next(Opcode.PollAdd, counter, userData: 1);
        entry->OperationFlags = SocketConstants.PollIn;
        entry->Length = OperationFlags.PollMultishot;
        int ring = _ring.Descriptor;
        var other = new Thread(() =>
        {
            Thread.Sleep(50);
            _ = _kernel.Close(ring);
            ulong one = 1;
            _ = _kernel.Write(counter, &one, sizeof(ulong));
        });
        other.Start();
        Assert.Equal((1UL, (int)SocketConstants.PollIn), Take());
        other.Join();
        Assert.Equal(-Errno.EBADF, _ring.SubmitAndWait(0, 0));
        Assert.Equal(0, _kernel.Close(counter));
    }

    [Fact]
    public void WhatAUnixSocketStopsAtIsNotTheEndOfIt()
    {
        string path = Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}");
        var endPoint = new UnixDomainSocketEndPoint(path);
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(endPoint);
        listener.Listen(1);
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.Connect(endPoint);
        using Socket server = listener.Accept();
        using var buffers = new BufferRing(_ring, group: 0, bufferSizeBytes: 64, initialCount: 8, maxCount: 8);
        Sqe* entry = Next(Opcode.Receive, (int)server.Handle, userData: 1);
        entry->IoPriority = OperationFlags.ReceiveMultishot;
        entry->Flags = SqeFlags.BufferSelect;
        Assert.Equal(1, _ring.SubmitAndWait(1, SecondNs / 50));

        // Bytes with a descriptor and bytes without are two receives.
        SendWithDescriptor((int)client.Handle);
        client.Send("plain"u8);
        Assert.Equal((1UL, 4), Take());
        Assert.Equal((1UL, 5), Take());
        CancelFirst();
        File.Delete(path);
    }

    private static void SendWithDescriptor(int socket)
    {
        const int PassDescriptors = 1;
        byte* control = stackalloc byte[ControlHeader.SizeInBytes + 8];
        var header = (ControlHeader*)control;
        header->Length = ControlHeader.SizeInBytes + sizeof(int);
        header->Level = SocketConstants.LevelSocket;
        header->Type = PassDescriptors;
        *(int*)(control + ControlHeader.SizeInBytes) = socket;
        int four = 0x34333231;
        IoVector vector = new() { Base = (ulong)(&four), Length = sizeof(int) };
        MessageHeader message = new()
        {
            Vectors = (ulong)(&vector),
            VectorCount = 1,
            Control = (ulong)control,
            ControlLength = ControlHeader.SizeInBytes + 8,
        };
        Assert.Equal(sizeof(int), EpollCalls.SendMessage(socket, &message, 0));
    }

    /// <summary>Drops a file's pages, and reads none ahead from here on. Source: posix_fadvise(2).</summary>
    private static void Forget(int descriptor)
    {
        const int Random = 1;
        const int DontNeed = 4;
        Assert.Equal(0, Sys.Call(new CallNumber(221, 223), descriptor, 0, 0, Random));
        Assert.Equal(0, Sys.Call(new CallNumber(221, 223), descriptor, 0, 0, DontNeed));
    }

    private static ulong AddressOf(byte[] pinned) => (ulong)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(pinned));

    private Sqe* Next(Opcode opcode, int descriptor, ulong userData)
    {
        Sqe* entry = _ring.NextEntry();
        entry->Opcode = opcode;
        entry->Descriptor = descriptor;
        entry->UserData = userData;
        return entry;
    }

    private void AssertFirstWaits()
    {
        Assert.Equal(1, _ring.SubmitAndWait(1, SecondNs / 20));
        Assert.Equal(0u, _ring.Cq.Ready);
    }

    private void CancelFirst()
    {
        Next(Opcode.AsyncCancel, -1, userData: 2)->Address = 1;
        Assert.Equal((2UL, 0), Take());
        Assert.Equal((1UL, -Errno.ECANCELED), Take());
    }

    private (ulong UserData, int Result) Take()
    {
        for (int wait = 0; _ring.Cq.Ready == 0 && wait < 20; wait++)
        {
            _ = _ring.SubmitAndWait(1, SecondNs);
        }

        Assert.NotEqual(0u, _ring.Cq.Ready);
        Cqe completion = _ring.Cq.Read();
        _ring.Cq.Publish();
        return (completion.UserData, completion.Result);
    }
}

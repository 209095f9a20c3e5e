namespace Ioxide;

/// <summary>The message header and the vectors of one send. Native, because the kernel reads them until the send is issued.</summary>
internal sealed unsafe class SendVectors : IDisposable
{
    internal const int MaxVectors = 64;

    // A head, one byte, its padding.
    private const int ControlBytes = ControlHeader.SizeInBytes + sizeof(ulong);

    private byte* _memory = (byte*)NativeMemory.AllocZeroed(
        MessageHeader.SizeInBytes + (MaxVectors * IoVector.SizeInBytes) + ControlBytes);

    internal MessageHeader* Header => (MessageHeader*)_memory;

    internal IoVector* Vectors => (IoVector*)(_memory + MessageHeader.SizeInBytes);

    private ControlHeader* Control
        => (ControlHeader*)(_memory + MessageHeader.SizeInBytes + (MaxVectors * IoVector.SizeInBytes));

    /// <summary>Sets the record type of the message for the kernel's TLS.</summary>
    internal void SetRecordType(byte recordType)
    {
        *Control = new ControlHeader
        {
            Length = ControlHeader.SizeInBytes + 1,
            Level = SocketConstants.LevelTls,
            Type = SocketConstants.TlsSetRecordType,
        };
        *(byte*)(Control + 1) = recordType;
        Header->Control = (ulong)Control;
        Header->ControlLength = ControlBytes;
    }

    public void Dispose()
    {
        NativeMemory.Free(_memory);
        _memory = null;
    }
}

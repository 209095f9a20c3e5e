using System.Runtime.InteropServices;

namespace Ioxide;

/// <summary>The message header and the vectors of one send. Native, because the kernel reads them until the send is issued.</summary>
internal sealed unsafe class SendVectors : IDisposable
{
    internal const int MaxVectors = 64;

    private byte* _memory = (byte*)NativeMemory.AllocZeroed(MessageHeader.SizeInBytes + (MaxVectors * IoVector.SizeInBytes));

    internal MessageHeader* Header => (MessageHeader*)_memory;

    internal IoVector* Vectors => (IoVector*)(_memory + MessageHeader.SizeInBytes);

    public void Dispose()
    {
        NativeMemory.Free(_memory);
        _memory = null;
    }
}

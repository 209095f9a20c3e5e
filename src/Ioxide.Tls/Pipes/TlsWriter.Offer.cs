namespace Ioxide.Tls;

/// <summary>Outside memory behind what a server has written (<see cref="IReferenceWriter"/>): it is encrypted from where it lies.</summary>
public sealed partial class TlsWriter : IReferenceWriter
{
    private OfferedMemory _offer;

    // Whether it is immutable does not matter: what leaves is encrypted, in other memory.
    void IReferenceWriter.Append(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable) => Append(memory, owner);

    bool IReferenceWriter.TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        if (_isCompleted || !_offer.IsTakenBy(front, memory))
        {
            return false;
        }

        Append(memory, owner);
        return true;
    }
}

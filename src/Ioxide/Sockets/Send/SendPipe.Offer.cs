using System.IO.Pipelines;

namespace Ioxide;

/// <summary>Outside memory behind a server's written bytes: see <see cref="IReferenceWriter"/>.</summary>
public sealed partial class SendPipe : IReferenceWriter
{
    private OfferedMemory _offer;

    void IReferenceWriter.Append(ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable) => Append(memory, owner, isImmutable);

    bool IReferenceWriter.TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        // The server may have dropped a broken connection: its writer takes the rest and discards it.
        if (_isCompleted || !_offer.IsTakenBy(front, memory))
        {
            return false;
        }

        Append(memory, owner, isImmutable);
        return true;
    }
}

using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide;

/// <summary>Outside memory behind a server's written bytes: see <see cref="IReferenceWriter"/>.</summary>
public sealed partial class SendPipe : IReferenceWriter
{
    void IReferenceWriter.AppendImmutable(ReadOnlyMemory<byte> memory)
    {
        ThrowIfCompleted();
        if (!memory.IsEmpty)
        {
            AddToChain(Refer(memory, owner: null, isImmutable: true));
            _unflushed += memory.Length;
        }
    }

    bool IReferenceWriter.TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        Debug.Assert(!memory.IsEmpty);
        Debug.Assert(_offered is null);
        if (_isCompleted)
        {
            // The server has dropped a broken connection; its writer takes the rest and discards it.
            return false;
        }

        _offered = Refer(memory, owner, isImmutable);
        MemoryBlock offered = _offered;
        try
        {
            return IReferenceWriter.IsHandedOn(front, memory) && _offered is null;
        }
        finally
        {
            if (_offered is not null)
            {
                _offered = null;
                offered.Unpin();
            }
        }
    }

    private void TakeOffered(int bytes)
    {
        MemoryBlock offered = _offered!;
        if (bytes != offered.Length)
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "Offered memory is taken as a whole.");
        }

        _offered = null;
        AddToChain(offered);
        _unflushed += bytes;
    }
}

namespace Ioxide.Tls;

/// <summary>Outside memory behind what a server has written (<see cref="IReferenceWriter"/>): it is encrypted from where it lies.</summary>
public sealed partial class TlsWriter : IReferenceWriter
{
    private ReadOnlyMemory<byte>? _offered;
    private IDisposable? _offeredOwner;

    // What leaves is encrypted, in other memory.
    void IReferenceWriter.AppendImmutable(ReadOnlyMemory<byte> memory) => Append(memory);

    bool IReferenceWriter.TryAppendBehind(PipeWriter front, ReadOnlyMemory<byte> memory, IDisposable? owner, bool isImmutable)
    {
        Debug.Assert(!memory.IsEmpty);
        Debug.Assert(_offered is null);
        if (_isCompleted)
        {
            return false;
        }

        _offered = memory;
        _offeredOwner = owner;
        try
        {
            return IReferenceWriter.IsHandedOn(front, memory) && _offered is null;
        }
        finally
        {
            _offered = null;
            _offeredOwner = null;
        }
    }

    private void TakeOffered(int bytes)
    {
        ReadOnlyMemory<byte> offered = _offered!.Value;
        if (bytes != offered.Length)
        {
            throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "Offered memory is taken as a whole.");
        }

        _offered = null;
        Append(offered, _offeredOwner);
    }
}

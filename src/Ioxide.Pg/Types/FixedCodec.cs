namespace Ioxide.Pg;

/// <summary>A codec whose wire form has a fixed length.</summary>
internal abstract class FixedCodec<T>(uint typeId, int lengthBytes) : ValueCodec<T>(typeId)
{
    protected int LengthBytes { get; } = lengthBytes;

    public sealed override int Measure(T value) => LengthBytes;
}

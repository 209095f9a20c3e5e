namespace Ioxide.Simulation;

/// <summary>A regular file: the bytes of a key.</summary>
internal sealed class DataFile(ulong key, int length) : SimulatedFile
{
    /// <returns>Bytes that were read; 0 at the end.</returns>
    internal int Read(Span<byte> target, long offset)
    {
        int count = (int)Math.Clamp(length - offset, 0, target.Length);
        Pattern.Fill(target[..count], key, offset);
        return count;
    }

    protected override void Release()
    {
    }
}

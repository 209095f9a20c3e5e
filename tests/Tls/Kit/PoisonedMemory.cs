namespace Ioxide.Tls.Tests;

/// <summary>Outside memory that is spoilt when its owner is disposed, as memory is that somebody else uses next.</summary>
internal sealed class PoisonedMemory(byte[] bytes) : IDisposable
{
    private int _disposals;

    internal ReadOnlyMemory<byte> Memory => bytes;

    internal int Disposals => Volatile.Read(ref _disposals);

    public void Dispose()
    {
        Array.Fill(bytes, (byte)0xEE);
        Interlocked.Increment(ref _disposals);
    }
}

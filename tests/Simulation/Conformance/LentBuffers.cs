namespace Ioxide.Simulation;

/// <summary>A group of buffers of a script: what completions took stays held until the script gives it back.</summary>
internal sealed class LentBuffers(BufferRing ring) : IDisposable
{
    private readonly List<ReceiveSegment> _held = [];

    internal ushort Group => ring.Group;

    internal int HeldCount => _held.Count;

    internal ReceiveSegment Take(int bufferId, int lengthBytes)
    {
        ReceiveSegment segment = ring.Take(bufferId, lengthBytes);
        _held.Add(segment);
        return segment;
    }

    /// <summary>Lends the buffers again that were taken first.</summary>
    internal void Return(int count)
    {
        for (; count > 0; count--)
        {
            ReturnAt(0);
        }

        ring.Publish();
    }

    /// <summary>Lends the buffers again, the one that was taken last first.</summary>
    internal void ReturnBackwards()
    {
        while (_held.Count > 0)
        {
            ReturnAt(_held.Count - 1);
        }

        ring.Publish();
    }

    public void Dispose() => ring.Dispose();

    private void ReturnAt(int index)
    {
        ReceiveSegment segment = _held[index];
        _held.RemoveAt(index);
        ring.Return(segment);
    }
}

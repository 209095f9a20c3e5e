namespace Ioxide.Http2;

/// <summary>Streams that this side has reset, possibly unknown to the peer: further frames for them are dropped. Bounded.</summary>
internal sealed class RecentResets
{
    private const int MaxRemembered = 512;

    private readonly Queue<int> _inOrder = new();
    private readonly HashSet<int> _ids = [];

    internal bool Contains(int streamId) => _ids.Contains(streamId);

    internal void Add(int streamId)
    {
        if (_ids.Add(streamId))
        {
            _inOrder.Enqueue(streamId);
            if (_inOrder.Count > MaxRemembered)
            {
                _ = _ids.Remove(_inOrder.Dequeue());
            }
        }
    }
}

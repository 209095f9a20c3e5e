namespace Ioxide;

/// <summary>The operations of an epoll ring that a cancel can find by their user data.</summary>
internal sealed class OperationNames
{
    private EpollOperation?[] _named = new EpollOperation?[64];
    private int _count;

    internal EpollOperation? Find(ulong userData)
    {
        EpollOperation? operation = _named[BucketOf(userData)];
        while (operation is not null && (operation.Entry.UserData != userData || operation.IsBeyondCancel))
        {
            operation = operation.NextOfHash;
        }

        return operation;
    }

    /// <summary>Makes an operation one that a cancel finds.</summary>
    internal void Add(EpollOperation operation)
    {
        if (operation.IsFindable)
        {
            return;
        }

        if (_count >= _named.Length)
        {
            Grow();
        }

        int bucket = BucketOf(operation.Entry.UserData);
        operation.NextOfHash = _named[bucket];
        _named[bucket] = operation;
        operation.IsFindable = true;
        _count++;
    }

    internal void Remove(EpollOperation operation)
    {
        if (!operation.IsFindable)
        {
            return;
        }

        operation.IsFindable = false;
        _count--;
        ref EpollOperation? place = ref _named[BucketOf(operation.Entry.UserData)];
        while (place != operation)
        {
            place = ref place!.NextOfHash;
        }

        place = operation.NextOfHash;
        operation.NextOfHash = null;
    }

    private int BucketOf(ulong userData) => (int)((userData * 0x9E3779B97F4A7C15) >> 32) & (_named.Length - 1);

    private void Grow()
    {
        EpollOperation?[] old = _named;
        _named = new EpollOperation?[old.Length * 2];
        foreach (EpollOperation? first in old)
        {
            EpollOperation? operation = first;
            while (operation is not null)
            {
                EpollOperation? next = operation.NextOfHash;
                int bucket = BucketOf(operation.Entry.UserData);
                operation.NextOfHash = _named[bucket];
                _named[bucket] = operation;
                operation = next;
            }
        }
    }
}

namespace Ioxide.Pg;

/// <summary>An intrusive linked queue of operations: it allocates nothing.</summary>
internal struct OperationQueue
{
    internal Operation? Head { get; private set; }

    internal Operation? Tail { get; private set; }

    internal int Count { get; private set; }

    internal void Enqueue(Operation operation)
    {
        operation.Next = null;
        if (Tail is null)
        {
            Head = operation;
        }
        else
        {
            Tail.Next = operation;
        }

        Tail = operation;
        Count++;
    }

    /// <summary>Adds one at the front.</summary>
    internal void EnqueueFirst(Operation operation)
    {
        operation.Next = Head;
        Head = operation;
        Tail ??= operation;
        Count++;
    }

    /// <summary>Takes the oldest, or null.</summary>
    internal Operation? Dequeue()
    {
        if (Head is not { } head)
        {
            return null;
        }

        Head = head.Next;
        if (Head is null)
        {
            Tail = null;
        }

        head.Next = null;
        Count--;
        return head;
    }

    /// <summary>Removes one at any position. False if it is not in the queue.</summary>
    internal bool Remove(Operation operation)
    {
        Operation? previous = null;
        for (Operation? current = Head; current is not null; previous = current, current = current.Next)
        {
            if (!ReferenceEquals(current, operation))
            {
                continue;
            }

            if (previous is null)
            {
                Head = current.Next;
            }
            else
            {
                previous.Next = current.Next;
            }

            if (ReferenceEquals(Tail, current))
            {
                Tail = previous;
            }

            current.Next = null;
            Count--;
            return true;
        }

        return false;
    }
}

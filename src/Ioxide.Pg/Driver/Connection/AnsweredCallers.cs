using System.Runtime.CompilerServices;

namespace Ioxide.Pg;

/// <summary>Callers of one connection whose answers have come. They are resumed when the loop awaits its next event (<see cref="Armed"/>).</summary>
/// <remarks>
/// A caller may block, and the reactor then turns inside the call. The loop has registered for its event before, so it continues inside the
/// wait, and reads its state again. Threads: the reactor's.
/// </remarks>
internal sealed class AnsweredCallers(ServerConnection connection)
{
    private RoundTripQueue _ended;

    // It was abandoned in the loop.
    private RoundTrip? _abandoned;

    /// <summary>The loop has received something: there may be callers.</summary>
    internal bool HasReceived { get; set; }

    private bool HasToTell
        => HasReceived && (_abandoned is not null || _ended.Count > 0 || connection.Pipeline.HasWaiting
            || connection.Pipeline.Oldest is null or { HasUndeliveredRows: true } || connection.Pool.QueueLength > 0);

    /// <summary>The command has its whole answer.</summary>
    internal void Add(RoundTrip ended) => _ended.Enqueue(ended);

    /// <summary>Abandons a command in the loop.</summary>
    internal void Abandon(RoundTrip roundTrip, Exception reason)
    {
        connection.Drop(roundTrip, reason);
        _abandoned = roundTrip;
    }

    /// <summary>The connection is broken.</summary>
    /// <returns>The answered commands whose callers were not resumed.</returns>
    internal List<RoundTrip> Clear()
    {
        _abandoned = null;
        var ended = new List<RoundTrip>();
        while (_ended.Dequeue() is { } roundTrip)
        {
            ended.Add(roundTrip);
        }

        return ended;
    }

    /// <summary>Makes the loop resume the callers once it is registered for what it awaits.</summary>
    internal Armed Before(ValueTask wait) => new(this, wait);

    /// <inheritdoc cref="Before"/>
    internal Armed<T> Before<T>(ValueTask<T> wait) => new(this, wait);

    /// <summary>Resumes the callers. They may do anything: the loop has finished with the buffer, and awaits its next event.</summary>
    private void Tell()
    {
        if (!HasReceived)
        {
            return;
        }

        try
        {
            connection.Pipeline.SendWaiting();
            if (connection.Pool.QueueLength > 0 || connection.IsReturning)
            {
                // A caller may block on one of these.
                connection.OfferCapacityToPool();
            }

            if (_abandoned is { } abandoned)
            {
                _abandoned = null;
                abandoned.Complete();
            }

            while (_ended.Dequeue() is { } roundTrip)
            {
                roundTrip.CompleteAndRelease();
            }

            connection.Pipeline.Oldest?.DeliverRows();
            connection.OfferCapacityToPool();
        }
        catch (Exception exception)
        {
            connection.Break(exception);
        }
    }

    /// <summary>Registers the loop for what it awaits, and resumes the callers then.</summary>
    private void Await<TAwaiter>(TAwaiter awaiter, bool isOver, Action continuation)
        where TAwaiter : struct, ICriticalNotifyCompletion
    {
        if (!isOver)
        {
            awaiter.UnsafeOnCompleted(continuation);
        }
        else if (!connection.Reactor.TryEnqueue(continuation, static continuation => continuation()))
        {
            continuation();
        }

        Tell();
    }

    /// <summary>What the loop awaits. The callers are resumed once the loop is registered for it.</summary>
    internal readonly struct Armed(AnsweredCallers callers, ValueTask wait) : ICriticalNotifyCompletion
    {
        private readonly ValueTask _wait = wait;

        public bool IsCompleted => _wait.IsCompleted && !callers.HasToTell;

        public Armed GetAwaiter() => this;

        public void GetResult() => _wait.GetAwaiter().GetResult();

        public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

        public void UnsafeOnCompleted(Action continuation) => callers.Await(_wait.GetAwaiter(), _wait.IsCompleted, continuation);
    }

    /// <inheritdoc cref="Armed"/>
    internal readonly struct Armed<T>(AnsweredCallers callers, ValueTask<T> wait) : ICriticalNotifyCompletion
    {
        private readonly ValueTask<T> _wait = wait;

        public bool IsCompleted => _wait.IsCompleted && !callers.HasToTell;

        public Armed<T> GetAwaiter() => this;

        public T GetResult() => _wait.GetAwaiter().GetResult();

        public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

        public void UnsafeOnCompleted(Action continuation) => callers.Await(_wait.GetAwaiter(), _wait.IsCompleted, continuation);
    }
}

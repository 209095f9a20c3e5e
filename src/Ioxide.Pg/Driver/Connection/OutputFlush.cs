using System.Diagnostics;
using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Sends what a connection has written: all of one turn of the reactor in one send, and nothing while the transport is full.</summary>
/// <remarks>One flush is on its way at most. Threads: the reactor's.</remarks>
internal sealed class OutputFlush(ServerConnection connection)
{
    private bool _isScheduled;
    private Task _room = Task.CompletedTask;

    /// <summary>The transport is full: nothing is written.</summary>
    internal bool IsFull { get; private set; }

    /// <summary>Sends written messages at the end of the turn.</summary>
    internal void Schedule()
    {
        if (!_isScheduled)
        {
            _isScheduled = true;
            connection.Reactor.Enqueue(this, static flush => flush.Run());
        }
    }

    /// <summary>Sends written messages now, and waits while the transport is full.</summary>
    internal ValueTask RunAsync()
    {
        Run();
        return IsFull ? new ValueTask(_room) : default;
    }

    /// <summary>Sends written messages now.</summary>
    internal void Run()
    {
        _isScheduled = false;
        if (connection.IsBroken || IsFull)
        {
            return;
        }

        ValueTask<FlushResult> flush = connection.Output.FlushAsync();
        if (flush.IsCompletedSuccessfully)
        {
            _ = flush.Result;
            return;
        }

        IsFull = true;
        Debug.Assert(SynchronizationContext.Current == connection.Reactor.RuntimeContext);
        _room = WaitForRoomAsync(flush);
    }

    private async Task WaitForRoomAsync(ValueTask<FlushResult> flush)
    {
        try
        {
            await flush.ConfigureAwait(true);
        }
        catch (Exception exception)
        {
            connection.Break(exception);
            return;
        }

        IsFull = false;
        if (_isScheduled || connection.Output is { CanGetUnflushedBytes: true, UnflushedBytes: > 0 })
        {
            Run();
        }

        connection.Pipeline.SendWaiting();
    }
}

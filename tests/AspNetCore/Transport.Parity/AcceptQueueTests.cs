using Microsoft.AspNetCore.Connections;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Connections between the reactors that accept them and the server that takes them one by one.</summary>
public sealed class AcceptQueueTests
{
    private readonly AcceptQueue _queue = new();

    [Fact]
    public async Task AConnectionThatComesBehindACancelledAcceptIsForTheNext()
    {
        using var cancellation = new CancellationTokenSource();
        ValueTask<ConnectionContext?> cancelled = _queue.DequeueAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.AsTask());
        ConnectionContext connection = new DefaultConnectionContext();

        _queue.Enqueue(connection);

        Assert.Same(connection, await _queue.DequeueAsync(CancellationToken.None));
    }

    [Fact]
    public async Task ACancelThatComesBehindTheConnectionChangesNothing()
    {
        using var cancellation = new CancellationTokenSource();
        ValueTask<ConnectionContext?> accepting = _queue.DequeueAsync(cancellation.Token);
        ConnectionContext connection = new DefaultConnectionContext();
        _queue.Enqueue(connection);
        await cancellation.CancelAsync();

        Assert.Same(connection, await accepting);
    }

    /// <summary>The connection may come before the accept's token is watched, and the cancel behind it.</summary>
    [Fact]
    public async Task ACancelOfAnAcceptThatIsOverDoesNotEndTheNext()
    {
        const int Rounds = 20_000;
        ConnectionContext connection = new DefaultConnectionContext();
        int round = 0;
        Task enqueuing = Task.Factory.StartNew(
            () =>
            {
                for (int own = 1; own <= Rounds; own++)
                {
                    while (Volatile.Read(ref round) < own)
                    {
                        Thread.SpinWait(1);
                    }

                    Thread.SpinWait(own % 32);
                    _queue.Enqueue(connection);
                }
            },
            TaskCreationOptions.LongRunning);
        for (int own = 1; own <= Rounds; own++)
        {
            using var cancellation = new CancellationTokenSource();
            Volatile.Write(ref round, own);
            await _queue.DequeueAsync(cancellation.Token).AsTask().Within(20.Seconds());
            ValueTask<ConnectionContext?> next = _queue.DequeueAsync(CancellationToken.None);

            await cancellation.CancelAsync();

            Assert.False(next.IsCompleted, $"in round {own}");
            _queue.Enqueue(connection);
            Assert.Same(connection, await next);
        }

        await enqueuing.Within(20.Seconds());
    }

    [Fact]
    public async Task AnAcceptThatWaitsEndsWithTheQueue()
    {
        ValueTask<ConnectionContext?> accepting = _queue.DequeueAsync(CancellationToken.None);

        _queue.Complete();

        Assert.True(accepting.IsCompleted);
        Assert.Null(await accepting);
        Assert.Null(await _queue.DequeueAsync(CancellationToken.None));
    }

    [Fact]
    public async Task ASecondAcceptBesideOneThatWaitsIsRefused()
    {
        ValueTask<ConnectionContext?> waiting = _queue.DequeueAsync(CancellationToken.None);

        await Assert.ThrowsAsync<InvalidOperationException>(() => _queue.DequeueAsync(CancellationToken.None).AsTask());

        Assert.False(waiting.IsCompleted);
    }
}

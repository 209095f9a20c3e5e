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

using System.Collections.Concurrent;

namespace Ioxide.Pg.Tests;

/// <summary>
/// Reactors for one test of the driver, and what the test runs on them. Disposing it ends all and fails the test where
/// something is left: a connection that no owner closed, a round trip in flight, a buffer, a descriptor, or an exception that
/// nobody asked for.
/// </summary>
/// <remarks>Make it first (<c>await using</c>), so that proxies and fake servers of the test are disposed before it.</remarks>
internal sealed class PgFixture : IAsyncDisposable
{
    private readonly ConcurrentStack<IAsyncDisposable> _owned = new();
    private readonly UnobservedExceptions _unobserved = UnobservedExceptions.Watch();
    private bool _isDisposed;

    /// <summary>Starts 2 reactors, or as <paramref name="configure"/> says.</summary>
    internal PgFixture(Action<ReactorOptions>? configure = null) => Reactors = ReactorFixture.Start(configure);

    internal ReactorFixture Reactors { get; }

    internal ReactorGroup Group => Reactors.Group;

    internal Reactor this[int reactorId] => Group.Reactors[reactorId];

    /// <summary>Disposes it with the fixture, the last first, before anything is checked: a data source, for example.</summary>
    internal T Own<T>(T owned)
        where T : IAsyncDisposable
    {
        _owned.Push(owned);
        return owned;
    }

    /// <summary>Connections of all reactors that are open now.</summary>
    internal int Connections => Group.Reactors.Sum(reactor => reactor.Snapshot().Connections);

    /// <summary>Ends all and checks. The second call does nothing.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        var problems = new List<Exception>();
        try
        {
            while (_owned.TryPop(out IAsyncDisposable? owned))
            {
                await AddAsync(problems, () => owned.DisposeAsync().AsTask().Within(20.Seconds(), $"{owned} is disposed")).ConfigureAwait(false);
            }

            // It aborts connections that are left, so they are counted before.
            await AddAsync(problems, AssertNoConnectionLeftAsync).ConfigureAwait(false);
            await AddAsync(problems, () => Reactors.DisposeAsync().AsTask()).ConfigureAwait(false);
            await AddAsync(problems, () => Task.Run(_unobserved.AssertNone)).ConfigureAwait(false);
        }
        finally
        {
            _unobserved.Dispose();
        }

        if (problems.Count > 0)
        {
            throw new AggregateException("The test left something behind.", problems);
        }
    }

    private Task AssertNoConnectionLeftAsync()
        => Waits.Eventually(() => Connections == 0, Reactors.Patience, "every connection was closed by its owner");

    private static async Task AddAsync(List<Exception> problems, Func<Task> check)
    {
        try
        {
            await check().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            // All checks run, and one exception tells all.
            problems.Add(exception);
        }
    }
}

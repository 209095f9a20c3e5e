using System.Runtime.CompilerServices;
using System.Text;

namespace Ioxide.Pg;

/// <summary>LISTEN on its own connection, which is opened again when it is lost.</summary>
internal sealed class PgListener
{
    private readonly PgDataSource _dataSource;
    private readonly Func<CancellationToken, ValueTask<PgSession>> _openSession;
    private readonly string _channel;
    private readonly NotificationQueue _queue;

    // As the server reports it with a notification.
    private volatile string _name;

    private PgListener(PgDataSource dataSource, Func<CancellationToken, ValueTask<PgSession>> openSession, string channel)
    {
        _dataSource = dataSource;
        _openSession = openSession;
        _channel = _name = channel;
        _queue = new NotificationQueue(channel);
    }

    internal static async IAsyncEnumerable<PgNotification> ListenAsync(
        PgDataSource dataSource,
        Func<CancellationToken, ValueTask<PgSession>> openSession,
        string channel,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        bool isFirst = true;
        while (true)
        {
            var listener = new PgListener(dataSource, openSession, channel);
            PgSession session = await listener.OpenAsync(isFirst, cancellationToken).ConfigureAwait(true);
            await using (session.ConfigureAwait(true))
            {
                if (!isFirst)
                {
                    yield return PgNotification.Gap(channel);
                }

                isFirst = false;
                while (await listener.WaitAsync(cancellationToken).ConfigureAwait(true))
                {
                    while (listener._queue.TryTake(out PgNotification notification))
                    {
                        yield return notification;
                    }
                }
            }
        }
    }

    /// <summary>
    /// A notification came. Until the server has reset the session of its connection, it may be of what an earlier user listened to. Threads: the
    /// reactor's.
    /// </summary>
    internal void Notified(int processId, string channel, string payload)
    {
        if (channel == _name && _queue.Add(new PgNotification(channel, payload, processId, IsGap: false)))
        {
            _dataSource.Log.NotificationsDropped(NotificationQueue.MaxBytes);
        }
    }

    /// <summary>The connection is gone. Threads: the reactor's.</summary>
    internal void Lost() => _queue.Complete();

    /// <summary>
    /// Listens on a new connection. The first attempt fails with its cause; later ones are repeated until the data source is closed.
    /// </summary>
    private async Task<PgSession> OpenAsync(bool isFirst, CancellationToken cancellationToken)
    {
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _dataSource.Closing);
        while (true)
        {
            try
            {
                return await StartAsync(ends.Token).ConfigureAwait(true);
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw _dataSource.ClosedError();
            }
            catch (Exception exception) when (exception is not OperationCanceledException && _dataSource.HasEnded)
            {
                throw _dataSource.ClosedError();
            }
            catch (Exception exception) when (!isFirst && exception is not OperationCanceledException)
            {
                // If it ends only now, the next attempt finds that.
                _dataSource.Log.ConnectFailed(_dataSource.Options, exception);
            }

            await Task.Delay(_dataSource.Options.ReconnectDelay, ends.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            cancellationToken.ThrowIfCancellationRequested();
        }
    }

    /// <summary>Waits for a notification. False: the connection is lost, and all its notifications were taken.</summary>
    private async ValueTask<bool> WaitAsync(CancellationToken cancellationToken)
    {
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _dataSource.Closing);
        try
        {
            return await _queue.WaitAsync(ends.Token).ConfigureAwait(true);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw _dataSource.ClosedError();
        }
        catch (OperationCanceledException)
        {
            throw new OperationCanceledException(cancellationToken);
        }
    }

    private async Task<PgSession> StartAsync(CancellationToken cancellationToken)
    {
        PgSession session = await _openSession(cancellationToken).ConfigureAwait(true);
        try
        {
            await ReactorWork.OnReactorAsync(
                session.Pool.Reactor,
                () =>
                {
                    session.Connection.Listener = this;
                    if (session.Connection.IsBroken)
                    {
                        _queue.Complete();
                    }

                    return Task.FromResult(true);
                }).ConfigureAwait(true);
            if (_channel.Length > SqlName.MaxBytes || !Ascii.IsValid(_channel))
            {
                // The server may cut the name: in its own encoding, which is not UTF-8 everywhere.
                PgScriptResult cut = await session.RunScriptAsync(
                    $"SELECT {SqlName.Text(_channel)}::pg_catalog.name", cancellationToken).ConfigureAwait(true);
                _name = cut.Rows is [[{ } name]] ? name
                    : throw new PgProtocolException("The server did not say how it cuts the name of a channel.");
            }

            await session.RunScriptAsync($"LISTEN {SqlName.Quote(_channel)}", cancellationToken).ConfigureAwait(true);
            return session;
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }
}

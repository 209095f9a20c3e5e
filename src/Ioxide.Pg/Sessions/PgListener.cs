using System.Runtime.CompilerServices;
using System.Text;
using System.Threading.Channels;

namespace Ioxide.Pg;

/// <summary>LISTEN on a connection of its own, which is made anew when it is lost.</summary>
internal sealed class PgListener : IServerListener
{
    private const int Capacity = 4096;

    private readonly string _channel;
    private readonly Channel<PgNotification> _queue;
    private volatile bool _hasMissed;

    private PgListener(string channel)
    {
        _channel = channel;
        _queue = Channel.CreateBounded<PgNotification>(new BoundedChannelOptions(Capacity) { SingleReader = true });
    }

    internal static async IAsyncEnumerable<PgNotification> ListenAsync(
        PgDataSource dataSource, string channel, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var backOff = new BackOff(dataSource.Options);
        bool isFirst = true;
        while (true)
        {
            var listener = new PgListener(channel);
            PgSession? session = null;
            Exception? failure = null;
            try
            {
                session = await listener.StartAsync(dataSource, cancellationToken).ConfigureAwait(true);
                backOff.Succeeded();
            }
            catch (Exception exception) when (!isFirst && exception is not OperationCanceledException)
            {
                failure = exception;
            }

            if (session is null)
            {
                dataSource.Log.ConnectFailed(failure!);
                backOff.Failed(Environment.TickCount64);
                await Task.Delay(backOff.Remaining(Environment.TickCount64), cancellationToken).ConfigureAwait(true);
                continue;
            }

            await using (session.ConfigureAwait(true))
            {
                if (!isFirst)
                {
                    yield return new PgNotification(channel, "", 0, IsGap: true);
                }

                isFirst = false;
                await foreach (PgNotification notification in listener._queue.Reader.ReadAllAsync(cancellationToken).ConfigureAwait(true))
                {
                    yield return notification;
                    if (listener._hasMissed && listener._queue.Reader.Count == 0)
                    {
                        listener._hasMissed = false;
                        yield return new PgNotification(channel, "", 0, IsGap: true);
                    }
                }
            }
        }
    }

    void IServerListener.Notified(int processId, string channel, string payload)
    {
        if (!_queue.Writer.TryWrite(new PgNotification(channel, payload, processId, IsGap: false)))
        {
            _hasMissed = true;
        }
    }

    void IServerListener.Noticed(PgServerMessage notice)
    {
    }

    void IServerListener.Lost(Exception cause) => _queue.Writer.TryComplete();

    private async Task<PgSession> StartAsync(PgDataSource dataSource, CancellationToken cancellationToken)
    {
        PgSession session = await dataSource.OpenSessionAsync(cancellationToken).ConfigureAwait(true);
        try
        {
            await PgDataSource.OnReactorAsync(
                session.Pool.Reactor,
                () =>
                {
                    session.Connection.Listener = this;
                    if (session.Connection.IsBroken)
                    {
                        _queue.Writer.TryComplete();
                    }

                    return Task.FromResult(true);
                }).ConfigureAwait(true);
            await session.RunScriptAsync($"LISTEN {Quote(_channel)}", cancellationToken).ConfigureAwait(true);
            return session;
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }

    private static string Quote(string name)
        => new StringBuilder(name).Replace("\"", "\"\"").Insert(0, '"').Append('"').ToString();
}

namespace Ioxide.Tls.Tests;

/// <summary>A listener whose sessions a test serves itself.</summary>
internal static class SessionServing
{
    /// <param name="fixture">On whose reactors it listens.</param>
    /// <param name="server">Makes its session.</param>
    /// <param name="serve">What is done with it on its reactor, before it is disposed of.</param>
    /// <returns>The listener, and a task that ends or fails as <paramref name="serve"/> does, or as the handshake.</returns>
    internal static async Task<(RingListener Listener, Task Served)> ServeAsync(this ReactorFixture fixture, TlsServer server, Func<TlsSession, Task> serve)
    {
        TaskCompletionSource isOver = Waits.Signal();
        RingListener listener = await fixture.ListenAsync(async connection =>
        {
            try
            {
                await using TlsSession session = await server.AuthenticateAsync(connection);
                await serve(session);
                isOver.SetResult();
            }
            catch (Exception exception)
            {
                isOver.TrySetException(exception);
            }
        });
        return (listener, isOver.Task);
    }
}

using System.Net.Sockets;

namespace Ioxide.Pg;

/// <summary>Opens connections of a data source: tries host after host, address after address, until a server has the wanted role.</summary>
/// <remarks>Threads: the reactor's; names are looked up and keys derived off it.</remarks>
internal static class Connector
{
    /// <exception cref="PgConnectionException">No host could be reached.</exception>
    /// <exception cref="PgException">The last server that answered refused.</exception>
    internal static async Task<ServerConnection> OpenAsync(ReactorPool pool, CancellationToken cancellationToken)
    {
        ConnectContext context = pool.DataSource.Context;
        PgTargetSession wanted = context.Options.TargetSessionAttributes;
        ServerConnection? connection = await TryHostsAsync(
            pool, wanted, isLastTry: wanted is not (PgTargetSession.PreferStandby or PgTargetSession.PreferPrimary),
            cancellationToken).ConfigureAwait(true);
        connection ??= await TryHostsAsync(pool, PgTargetSession.Any, isLastTry: true, cancellationToken).ConfigureAwait(true);
        pool.Counters.Opened++;
        pool.DataSource.Log.Opened(connection!.Endpoint, connection.ProcessId);
        return connection;
    }

    /// <summary>
    /// Asks the server, over a separate connection, to cancel the session's running command, if that is still the round trip. Returns when
    /// the server has handled the request.
    /// </summary>
    internal static async Task<CancelOutcome> CancelAsync(
        ReactorPool pool, ServerConnection connection, RoundTrip roundTrip)
    {
        TimeSpan timeout = pool.Options.CancelTimeout > TimeSpan.Zero ? pool.Options.CancelTimeout : pool.Options.ConnectTimeout;
        using var limit = new ReactorDeadline(pool.Reactor, timeout, CancellationToken.None);
        ConnectContext context = pool.DataSource.Context;
        RingConnection transport = await ConnectAsync(pool, connection.Endpoint, limit.Token).ConfigureAwait(true);
        await using (transport.ConfigureAwait(true))
        {
            return await CancelMessage.RunAsync(
                transport,
                context,
                connection.Endpoint,
                connection.ProcessId,
                connection.Session.SecretKey,
                connection.Session.Tls is not null,
                () => connection.Cancels.TryLoose(roundTrip),
                limit.Token).ConfigureAwait(true);
        }
    }

    /// <summary>The connection; null if every server that was reached has another role.</summary>
    private static async Task<ServerConnection?> TryHostsAsync(
        ReactorPool pool, PgTargetSession wanted, bool isLastTry, CancellationToken cancellationToken)
    {
        ConnectContext context = pool.DataSource.Context;
        Exception? last = null;
        foreach (PgHost host in context.Hosts.Order(context.Options))
        {
            try
            {
                foreach (ServerEndpoint endpoint in await AddressesAsync(pool, host, cancellationToken).ConfigureAwait(true))
                {
                    try
                    {
                        if (await TryEncryptionsAsync(pool, endpoint, wanted, cancellationToken).ConfigureAwait(true) is { } connection)
                        {
                            return connection;
                        }

                        last = new PgConnectionException(
                            $"{endpoint} is no server of the kind {wanted} ({nameof(PgDataSourceOptions.TargetSessionAttributes)}).");
                    }
                    catch (Exception exception) when (exception is not OperationCanceledException)
                    {
                        last = exception;
                    }
                }
            }
            catch (Exception exception) when (exception is PgConnectionException or PgTimeoutException)
            {
                last = exception;
            }
        }

        if (!isLastTry)
        {
            return null;
        }

        throw last ?? new PgConnectionException("No host is configured.");
    }

    private static async Task<ServerEndpoint[]> AddressesAsync(ReactorPool pool, PgHost host, CancellationToken cancellationToken)
    {
        PgDataSourceOptions options = pool.Options;
        using var limit = new ReactorDeadline(pool.Reactor, options.ConnectTimeout, cancellationToken);
        try
        {
            return await pool.DataSource.Context.Hosts.AddressesAsync(options, host, limit.Token).ConfigureAwait(true);
        }
        catch (OperationCanceledException exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw TimedOut($"The host name \"{host.Name}\" could not be resolved", options, exception);
        }
    }

    /// <summary>If TLS is only preferred and it fails, or the server refuses the role over it, connects without TLS.</summary>
    private static async Task<ServerConnection?> TryEncryptionsAsync(
        ReactorPool pool, ServerEndpoint endpoint, PgTargetSession wanted, CancellationToken cancellationToken)
    {
        try
        {
            return await TryOpenAsync(pool, endpoint, wanted, cancellationToken).ConfigureAwait(true);
        }
        catch (Exception exception) when (endpoint.SslModeOf(pool.Options) == PgSslMode.Prefer
            && exception is PgConnectionException { IsTlsFailure: true } or PgException { SqlState: PgSqlState.InvalidAuthorizationSpecification })
        {
            return await TryOpenAsync(pool, endpoint with { IsClearText = true }, wanted, cancellationToken).ConfigureAwait(true);
        }
    }

    private static async Task<ServerConnection?> TryOpenAsync(
        ReactorPool pool, ServerEndpoint endpoint, PgTargetSession wanted, CancellationToken cancellationToken)
    {
        PgDataSourceOptions options = pool.Options;
        using var limit = new ReactorDeadline(pool.Reactor, options.ConnectTimeout, cancellationToken);
        RingConnection? transport = null;
        try
        {
            transport = await ConnectAsync(pool, endpoint, limit.Token).ConfigureAwait(true);
            StartedSession session = await Startup.RunAsync(transport, pool.DataSource.Context, endpoint, limit.Token).ConfigureAwait(true);
            var connection = new ServerConnection(pool, transport, session, endpoint);
            transport = null;
            connection.Start();
            bool isWanted = false;
            try
            {
                isWanted = await IsWantedAsync(connection, wanted, endpoint, limit.Token).ConfigureAwait(true);
                connection.ThrowIfLost();
            }
            finally
            {
                if (!isWanted)
                {
                    connection.Terminate();
                }
            }

            return isWanted ? connection : null;
        }
        catch (OperationCanceledException exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw TimedOut($"No session with {endpoint} could be started", options, exception);
        }
        finally
        {
            if (transport is not null)
            {
                transport.Abort();
                await transport.DisposeAsync().ConfigureAwait(true);
            }
        }
    }

    private static async Task<bool> IsWantedAsync(
        ServerConnection connection, PgTargetSession wanted, ServerEndpoint endpoint, CancellationToken cancellationToken)
    {
        switch (TargetSession.Judge(wanted, connection.Session.Parameters))
        {
            case TargetSessionVerdict.Accept:
                return true;
            case TargetSessionVerdict.Refuse:
                return false;
            default:
                var script = new ScriptRoundTrip(TargetSession.Question.ToArray());
                PgScriptResult result = await script.RunAsync(new SessionTarget(connection.Pool, connection), cancellationToken).ConfigureAwait(true);
                if (result.Rows is not [[{ } isReadOnly, { } isStandby]])
                {
                    throw new PgProtocolException(
                        $"{endpoint} did not say whether it takes writes and is a standby, as {nameof(PgDataSourceOptions.TargetSessionAttributes)} "
                            + $"({wanted}) asks. Check that the server is PostgreSQL, or set the option to {nameof(PgTargetSession.Any)}.");
                }

                return TargetSession.Judge(wanted, isReadOnly == "on", isStandby == "on") == TargetSessionVerdict.Accept;
        }
    }

    private static PgTimeoutException TimedOut(string what, PgDataSourceOptions options, Exception exception)
        => new(
            PgTimeoutKind.Connect,
            options.ConnectTimeout,
            $"{what} within {options.ConnectTimeout.TotalSeconds:0.###} s ({nameof(options.ConnectTimeout)}).",
            exception);

    private static async Task<RingConnection> ConnectAsync(ReactorPool pool, ServerEndpoint endpoint, CancellationToken cancellationToken)
    {
        try
        {
            return await pool.Reactor.ConnectAsync(endpoint.EndPoint, pool.DataSource.TransportOptions, cancellationToken).ConfigureAwait(true);
        }
        catch (SocketException exception)
        {
            throw new PgConnectionException(
                $"No connection to {endpoint}: {exception.SocketErrorCode}. Is PostgreSQL running there, and may this host connect?", exception);
        }
    }
}

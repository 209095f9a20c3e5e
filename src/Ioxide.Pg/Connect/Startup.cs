using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Turns a new connection into a session that is ready for commands: TLS, start-up message, authentication.</summary>
/// <remarks>
/// Phases: TLS (<see cref="TlsUpgrade"/>), authentication until AuthenticationOk (<see cref="Authenticator"/>), parameters and key
/// until ReadyForQuery. Before AuthenticationOk the peer is untrusted, and may send only few messages and few bytes.
/// Source: PostgreSQL manual, 55.2.1 Start-up.
/// </remarks>
internal static class Startup
{
    internal const int MaxNotices = 16;

    private const int MaxMessages = 4096;
    private const int MaxSecretBytes = 256;
    private const int MinSecretBytes = 4;

    /// <param name="pipe">A connection on which nothing was sent or received.</param>
    /// <param name="context">The data source's options and caches.</param>
    /// <param name="server">The server that it is connected to.</param>
    /// <param name="cancellationToken">Ends the attempt; the connection cannot be used afterwards, nor after an exception.</param>
    /// <exception cref="PgException">The server refused, for example because of the password (28P01) or too many clients (53300).</exception>
    /// <exception cref="PgAuthenticationException">The server could not prove its identity, or requests a method that is not allowed.</exception>
    /// <exception cref="PgConnectionException">The connection was lost, or TLS could not be agreed on.</exception>
    internal static async ValueTask<StartedSession> RunAsync(
        IDuplexPipe pipe, ConnectContext context, ServerEndpoint server, CancellationToken cancellationToken)
    {
        TlsUpgrade.Transport transport = await TlsUpgrade.RunAsync(pipe, context, server, cancellationToken).ConfigureAwait(true);
        var session = new StartedSession(transport);
        try
        {
            StartupMessages.WriteStartup(session.Output, context.Options);
            var reader = new StartupReader(session.Input, server);
            await FlushAsync(session, server, cancellationToken).ConfigureAwait(true);
            var authenticator = new Authenticator(context, server, session);
            await SignInAsync(session, reader, authenticator, server, cancellationToken).ConfigureAwait(true);
            reader.During = "the signed-in session was starting";
            await FinishAsync(session, reader, cancellationToken).ConfigureAwait(true);
            return session;
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }

    private static async ValueTask SignInAsync(
        StartedSession session,
        StartupReader reader,
        Authenticator authenticator,
        ServerEndpoint server,
        CancellationToken cancellationToken)
    {
        for (int i = 0; i < MaxMessages; i++)
        {
            reader.During = authenticator.During;
            (byte type, byte[] body) = await reader.NextAsync(cancellationToken).ConfigureAwait(true);
            switch (type)
            {
                case BackendMessage.Authentication:
                    if (await authenticator.AnswerAsync(body, cancellationToken).ConfigureAwait(true))
                    {
                        return;
                    }

                    await FlushAsync(session, server, cancellationToken).ConfigureAwait(true);
                    break;
                case BackendMessage.NegotiateProtocolVersion:
                    // The server supports less than was requested. Version 3.0 without extensions is the minimum.
                    break;
                default:
                    HandleAnywhere(session, type, body, authenticator.Hint);
                    break;
            }
        }

        throw TooMany();
    }

    private static async ValueTask FinishAsync(StartedSession session, StartupReader reader, CancellationToken cancellationToken)
    {
        for (int i = 0; i < MaxMessages; i++)
        {
            (byte type, byte[] body) = await reader.NextAsync(cancellationToken).ConfigureAwait(true);
            switch (type)
            {
                case BackendMessage.ParameterStatus:
                    session.TakeParameter(body);
                    break;
                case BackendMessage.BackendKeyData:
                    ReadKey(session, body);
                    break;
                case BackendMessage.ReadyForQuery:
                    session.TransactionStatus = new WireReader(body).ReadByte();
                    return;
                default:
                    HandleAnywhere(session, type, body, hint: null);
                    break;
            }
        }

        throw TooMany();
    }

    private static void HandleAnywhere(StartedSession session, byte type, byte[] body, string? hint)
    {
        switch (type)
        {
            case BackendMessage.ErrorResponse:
                throw new PgException(PgServerMessage.Read(body), hint is null ? null : new PgAuthenticationException(hint));
            case BackendMessage.NoticeResponse:
                if (session.Notices.Count < MaxNotices)
                {
                    session.Notices.Add(PgServerMessage.Read(body));
                }

                break;
            default:
                throw new PgProtocolException($"The server sent a message of type 0x{type:x2} while the session was starting.");
        }
    }

    // Four bytes before version 3.2 of the protocol; poolers and later servers may send more.
    private static void ReadKey(StartedSession session, byte[] body)
    {
        var reader = new WireReader(body);
        session.ProcessId = reader.ReadInt32();
        if (reader.Rest.Length is < MinSecretBytes or > MaxSecretBytes)
        {
            throw new PgProtocolException(
                $"The server sent a cancel key of {reader.Rest.Length} bytes; {MinSecretBytes} to {MaxSecretBytes} are possible.");
        }

        session.SecretKey = reader.Rest.ToArray();
    }

    private static async ValueTask FlushAsync(StartedSession session, ServerEndpoint server, CancellationToken cancellationToken)
    {
        try
        {
            await session.Output.FlushAsync(cancellationToken).ConfigureAwait(true);
        }
        catch (IOException exception)
        {
            throw new PgConnectionException(
                $"The connection to {server} was lost while the session was starting: {exception.Message}", exception);
        }
    }

    private static PgProtocolException TooMany() => new($"The server sent {MaxMessages} messages and the session has not started.");
}

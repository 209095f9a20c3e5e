using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Asks the server to stop the running command of another session.</summary>
/// <remarks>Source: PostgreSQL manual, 55.2.8 Cancelling Requests in Progress. The server answers by closing the connection.</remarks>
internal static class CancelMessage
{
    private const int RequestCode = 80877102;
    private const int FixedBytes = 3 * sizeof(int);

    /// <summary>Writes the request; nothing is flushed.</summary>
    internal static void Write(PipeWriter output, int processId, ReadOnlySpan<byte> secretKey)
    {
        int length = FixedBytes + secretKey.Length;
        var writer = new WireWriter(output.GetSpan(length));
        writer.WriteInt32(length);
        writer.WriteInt32(RequestCode);
        writer.WriteInt32(processId);
        writer.WriteBytes(secretKey);
        output.Advance(writer.Position);
    }

    /// <summary>
    /// Sends the request over a new connection and waits until the server closes it: then the signal was sent.
    /// </summary>
    /// <param name="pipe">A connection to the session's own server, on which nothing was sent yet.</param>
    /// <param name="context">The data source's options and caches.</param>
    /// <param name="server">The server that it is connected to.</param>
    /// <param name="processId">The session's process.</param>
    /// <param name="secretKey">The session's key.</param>
    /// <param name="isEncrypted">Whether the session has TLS: if so, the key is not sent without TLS.</param>
    /// <param name="isWanted">Called just before sending. If it returns false, nothing is sent.</param>
    /// <param name="cancellationToken">Stops the attempt.</param>
    /// <exception cref="PgConnectionException">The request could not be sent.</exception>
    internal static async ValueTask<CancelOutcome> RunAsync(
        IDuplexPipe pipe,
        ConnectContext context,
        ServerEndpoint server,
        int processId,
        byte[] secretKey,
        bool isEncrypted,
        Func<bool> isWanted,
        CancellationToken cancellationToken)
    {
        if (!isEncrypted)
        {
            return await SendAsync(pipe.Input, pipe.Output, processId, secretKey, isWanted, cancellationToken).ConfigureAwait(true);
        }

        TlsUpgrade.Transport transport = await TlsUpgrade.RunAsync(pipe, context, server, cancellationToken).ConfigureAwait(true);
        if (transport.Stream is null)
        {
            throw new PgConnectionException($"{server} no longer offers TLS; the cancel key is not sent without it.");
        }

        await using (transport.Stream.ConfigureAwait(true))
        {
            return await SendAsync(transport.Input, transport.Output, processId, secretKey, isWanted, cancellationToken).ConfigureAwait(true);
        }
    }

    private static async ValueTask<CancelOutcome> SendAsync(
        PipeReader input,
        PipeWriter output,
        int processId,
        byte[] secretKey,
        Func<bool> isWanted,
        CancellationToken cancellationToken)
    {
        if (!isWanted())
        {
            return CancelOutcome.NotSent;
        }

        bool isSent = false;
        try
        {
            Write(output, processId, secretKey);
            await output.FlushAsync(cancellationToken).ConfigureAwait(true);
            isSent = true;
            while (true)
            {
                ReadResult result = await input.ReadAsync(cancellationToken).ConfigureAwait(true);
                input.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    return CancelOutcome.Seen;
                }
            }
        }
        catch (IOException) when (isSent)
        {
            // A reset is an end too: the server had finished with the request.
            return CancelOutcome.Seen;
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException)
        {
            return CancelOutcome.Unknown;
        }
    }
}

/// <summary>The outcome of a CancelRequest.</summary>
internal enum CancelOutcome
{
    /// <summary>The server did not receive it.</summary>
    NotSent,

    /// <summary>The server closed its connection: the signal was sent.</summary>
    Seen,

    /// <summary>The server may have received it, and the signal may come at any time.</summary>
    Unknown,
}

using System.IO.Pipelines;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace Ioxide.Pg;

/// <summary>Begins TLS on a new connection, by request or at once.</summary>
/// <remarks>
/// Source: PostgreSQL manual, 55.2.10 SSL Session Encryption. Bytes that follow the server's one byte in clear text come from a man in the
/// middle, and would be taken for the server's first encrypted data (CVE-2021-23222).
/// </remarks>
internal static class TlsUpgrade
{
    private const int RequestBytes = 8;
    private const int RequestCode = 80877103;

    // One TLS record holds at most 16 KiB.
    private const int BufferBytes = 16 * 1024;

    private static readonly SslApplicationProtocol s_protocol = new("postgresql");

    /// <summary>Returns the pipes to continue with: the connection's own, or those inside TLS.</summary>
    internal static async ValueTask<Transport> RunAsync(
        IDuplexPipe pipe, ConnectContext context, ServerEndpoint server, CancellationToken cancellationToken)
    {
        PgDataSourceOptions options = context.Options;
        PgSslMode mode = server.SslModeOf(options);
        if (mode == PgSslMode.Disable)
        {
            return new Transport(pipe.Input, pipe.Output, null, null);
        }

        if (options.SslNegotiation == PgSslNegotiation.Postgres
            && !await RequestAsync(pipe, server, mode, cancellationToken).ConfigureAwait(true))
        {
            return new Transport(pipe.Input, pipe.Output, null, null);
        }

        TlsMaterial.Loaded material = await context.Tls.GetAsync(cancellationToken).ConfigureAwait(true);
        var check = new ServerCertificateCheck(mode, server.Name, material.Roots, options.CheckCertificateRevocation);
        var stream = new SslStream(new DuplexPipeStream(pipe) { Limit = cancellationToken }, leaveInnerStreamOpen: true);
        try
        {
            await HandshakeAsync(stream, check, material, options, server).ConfigureAwait(true);
            return Encrypted(stream, check);
        }
        catch
        {
            await stream.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }

    private static Transport Encrypted(SslStream stream, ServerCertificateCheck check)
    {
        var reading = new StreamPipeReaderOptions(bufferSize: 2 * BufferBytes, minimumReadSize: BufferBytes / 4, leaveOpen: true);
        var input = PipeReader.Create(stream, reading);
        var output = PipeWriter.Create(stream, new StreamPipeWriterOptions(minimumBufferSize: BufferBytes, leaveOpen: true));
        byte[]? binding = stream.RemoteCertificate is X509Certificate2 certificate ? ChannelBindingHash.Of(certificate) : null;
        var facts = new PgTlsFacts(stream.SslProtocol, stream.NegotiatedCipherSuite, check.ChecksChain, binding);
        return new Transport(input, output, stream, facts);
    }

    /// <summary>Requests TLS. True: the server agrees.</summary>
    private static async ValueTask<bool> RequestAsync(
        IDuplexPipe pipe, ServerEndpoint server, PgSslMode mode, CancellationToken cancellationToken)
    {
        WriteRequest(pipe.Output);
        byte answer = 0;
        bool isAlone = true;
        try
        {
            await pipe.Output.FlushAsync(cancellationToken).ConfigureAwait(true);
            ReadResult result = await pipe.Input.ReadAsync(cancellationToken).ConfigureAwait(true);
            if (!result.Buffer.IsEmpty)
            {
                answer = result.Buffer.FirstSpan[0];
                isAlone = result.Buffer.Length == 1;
                pipe.Input.AdvanceTo(result.Buffer.GetPosition(1));
            }
            else
            {
                pipe.Input.AdvanceTo(result.Buffer.Start);
            }
        }
        catch (IOException exception)
        {
            throw Lost(server, exception);
        }

        return answer switch
        {
            (byte)'S' when isAlone => true,
            (byte)'N' when isAlone && mode == PgSslMode.Prefer => false,
            (byte)'S' or (byte)'N' when !isAlone => throw new PgProtocolException(
                $"{server} sent unencrypted bytes behind its answer to the request for TLS. Somebody may be in between; the connection " +
                    "was closed."),
            (byte)'N' => throw new PgConnectionException(
                $"{server} does not offer TLS, and the SSL mode is {mode}. Switch TLS on in the server (ssl = on), or lower the SSL mode."),
            (byte)'E' => throw new PgConnectionException(
                $"{server} answered the request for TLS with an error. It may be too busy to start a process."),
            0 => throw Lost(server, null),
            _ => throw new PgProtocolException(
                $"{server} answered the request for TLS with the byte 0x{answer:x2}. It may not be a PostgreSQL server."),
        };
    }

    private static void WriteRequest(PipeWriter output)
    {
        var writer = new WireWriter(output.GetSpan(RequestBytes));
        writer.WriteInt32(RequestBytes);
        writer.WriteInt32(RequestCode);
        output.Advance(writer.Position);
    }

    private static async ValueTask HandshakeAsync(
        SslStream stream,
        ServerCertificateCheck check,
        TlsMaterial.Loaded material,
        PgDataSourceOptions options,
        ServerEndpoint server)
    {
        var tls = new SslClientAuthenticationOptions
        {
            TargetHost = server.Name,
            ApplicationProtocols = [s_protocol],
            RemoteCertificateValidationCallback = check.Accept,
            CertificateRevocationCheckMode = X509RevocationMode.NoCheck, // The certificate check does it.
            ClientCertificateContext = material.Client,
            AllowRenegotiation = false,
        };
        try
        {
            // All of it blocks one thread: an await of SslStream's may resume on the thread pool.
            await ConnectThread.RunAsync(() => stream.AuthenticateAsClient(tls)).ConfigureAwait(true);
        }
        catch (AuthenticationException exception) when (check.Refusal is { } refusal)
        {
            throw new PgAuthenticationException($"The certificate of {server} was refused: {refusal}.", exception);
        }
        catch (Exception exception) when (exception is AuthenticationException or IOException or InvalidOperationException)
        {
            string hint = options.SslNegotiation == PgSslNegotiation.Direct ? " Direct negotiation needs PostgreSQL 17 or later." : "";
            throw new PgConnectionException(
                $"The TLS handshake with {server} failed: {(exception.InnerException ?? exception).Message}{hint}", exception)
            {
                IsTlsFailure = true,
            };
        }

        if (options.SslNegotiation == PgSslNegotiation.Direct && stream.NegotiatedApplicationProtocol != s_protocol)
        {
            // Otherwise data for PostgreSQL could be redirected to another service's TLS port (ALPACA).
            throw new PgConnectionException(
                $"{server} did not agree to the protocol \"postgresql\" (ALPN). Direct negotiation needs PostgreSQL 17 or later.");
        }
    }

    private static PgConnectionException Lost(ServerEndpoint server, Exception? inner)
        => new($"{server} closed the connection when it was asked for TLS.", inner);

    /// <summary>The pipes that the protocol runs over.</summary>
    /// <param name="Input">Clear bytes from the server.</param>
    /// <param name="Output">Clear bytes to the server.</param>
    /// <param name="Stream">TLS, to be disposed with the connection; or null.</param>
    /// <param name="Facts">The negotiated TLS parameters, or null.</param>
    internal sealed record Transport(PipeReader Input, PipeWriter Output, SslStream? Stream, PgTlsFacts? Facts);
}

/// <summary>The negotiated TLS parameters.</summary>
/// <param name="Protocol">The version.</param>
/// <param name="CipherSuite">The cipher suite.</param>
/// <param name="IsVerified">Whether the certificate was checked.</param>
/// <param name="ChannelBinding">The certificate's hash, or null where it has none.</param>
internal sealed record PgTlsFacts(SslProtocols Protocol, TlsCipherSuite CipherSuite, bool IsVerified, byte[]? ChannelBinding);

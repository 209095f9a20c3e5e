using System.IO.Pipelines;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Ioxide.Tls.Tests;

/// <summary>A host whose one endpoint has options of <c>UseIoxideTls</c>, served in one of the ways; and what clients of it see.</summary>
internal static class OptionsServer
{
    internal static Task<HttpsServer> StartAsync(
        Serving serving, Action<IoxideTlsOptions> configureTls, Action<HttpsConnectionAdapterOptions>? configure = null)
        => HttpsServer.StartAsync(listen => Configure(listen, serving, configureTls, configure), hasRings: serving != Serving.Sockets);

    internal static Task<HttpsServer> StartAsync(Serving serving, Action<HttpsConnectionAdapterOptions> configure)
        => StartAsync(serving, static _ => { }, configure);

    /// <summary>Client certificates must chain to these roots.</summary>
    internal static void Trust(HttpsConnectionAdapterOptions https, X509Certificate2Collection roots)
        => https.OnAuthenticate += (_, ssl) =>
        {
            ssl.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
            };
            ssl.CertificateChainPolicy.CustomTrustStore.AddRange(roots);
        };

    internal static void Configure(
        ListenOptions listen, Serving serving, Action<IoxideTlsOptions> configureTls, Action<HttpsConnectionAdapterOptions>? configure = null)
    {
        if (serving == Serving.Wrapped)
        {
            listen.Use(static next => connection =>
            {
                connection.Transport = new Pipes(connection.Transport);
                return next(connection);
            });
        }

        listen.UseIoxideTls(
            https =>
            {
                https.ServerCertificate = TestCertificates.Ecdsa;
                https.HandshakeTimeout = Patience.Limit;
                if (serving == Serving.SslStreamOption)
                {
                    https.TlsClientHelloBytesCallback = static (_, _) => { };
                }

                configure?.Invoke(https);
            },
            configureTls);
    }

    /// <summary>The subject that a client is shown; null where it is refused.</summary>
    internal static async Task<string?> SubjectAsync(HttpsServer server, string? name)
    {
        try
        {
            await using SslClient client = await SslClient.ConnectAsync(server.EndPoint, SslClient.Options(options =>
            {
                options.TargetHost = name;
                options.RemoteCertificateValidationCallback = static (_, _, _, errors) => errors != SslPolicyErrors.RemoteCertificateNotAvailable;
            }));
            return client.ServerSubject;
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException
            or SocketException { SocketErrorCode: SocketError.ConnectionReset })
        {
            return null;
        }
    }

    /// <summary>Whether the second of two clients resumes the session of the first, or of what lies between.</summary>
    internal static async Task<bool> IsResumedAsync(HttpsServer server, Action? between = null)
    {
        string[] name = ["-servername", TestCertificates.ServerName];
        string folder = Directory.CreateTempSubdirectory("ioxide-session-").FullName;
        try
        {
            string session = Path.Combine(folder, "session");
            Assert.Contains("New, TLSv1.2", await HandshakeAsync(server.EndPoint, [.. name, "-sess_out", session]), StringComparison.Ordinal);
            between?.Invoke();

            // Where the server gives no ticket there may be nothing to come back with.
            string second = await HandshakeAsync(server.EndPoint, File.Exists(session) ? [.. name, "-sess_in", session] : name);
            bool isResumed = second.Contains("Reused, TLSv1.2", StringComparison.Ordinal);
            Assert.True(isResumed || second.Contains("New, TLSv1.2", StringComparison.Ordinal), second);
            return isResumed;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>A handshake of TLS 1.2, whose ticket comes with it. Returns what the command printed.</summary>
    internal static Task<string> HandshakeAsync(IPEndPoint endPoint, params string[] arguments) => SendAsync(endPoint, "", arguments);

    /// <summary>The same with something to say; where that is a request, the answer is in what was printed.</summary>
    internal static Task<string> SendAsync(IPEndPoint endPoint, string text, params string[] arguments)
        => OpenSsl.RunAsync(text, ["s_client", "-connect", endPoint.ToString(), "-tls1_2", .. arguments]);

    private sealed class Pipes(IDuplexPipe inner) : IDuplexPipe
    {
        public PipeReader Input => inner.Input;

        public PipeWriter Output => inner.Output;
    }
}

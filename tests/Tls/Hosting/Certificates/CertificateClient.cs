using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Tls.Tests;

/// <summary>One request over a connection of its own.</summary>
/// <param name="Version">The version of TLS that is offered.</param>
/// <param name="Certificate">By its name in <paramref name="Certificates"/>.</param>
/// <param name="Request">GET, POST with a body that nobody has read yet where the certificate is asked for, or GET by HTTP/2.</param>
/// <param name="Certificates">What it may show; those of <see cref="OracleCertificates.Clients"/> where there are no others.</param>
internal sealed partial record CertificateClient(
    SslProtocols Version, string Certificate, string Request = "GET", IReadOnlyDictionary<string, SslStreamCertificateContext?>? Certificates = null)
{
    internal const string Http2 = "HTTP/2";

    private string _issuers = "";

    public override string ToString() => $"{Request} by {Version} with {Certificate}";

    /// <summary>Sends the request to an endpoint whose application's sightings are empty, and takes them.</summary>
    internal async Task<CertificateAnswer> SendAsync(EndPoint endPoint, Sightings seen)
    {
        string outcome = CertificateAnswer.Refused;
        TlsAlert? alert = null;
        try
        {
            await using SslClient client = await SslClient.ConnectAsync(endPoint, SslClient.Options(Configure));
            Task<string> reading = ReadAsync(client.Stream);

            // A refused client of TLS 1.3 learns that from its first read; a request that nobody reads might turn it into a reset.
            await Task.WhenAny(reading, seen.Accepted).Within(Patience.Limit, "the server accepts or refuses");
            if (!reading.IsCompleted)
            {
                await client.Stream.WriteAsync(Bytes());
            }

            string text = await reading.Within(Patience.Limit, "the server ends");
            outcome = text.Contains(CertificateAnswer.OnRing, StringComparison.Ordinal) ? CertificateAnswer.OnRing
                : text.Contains(CertificateAnswer.BySslStream, StringComparison.Ordinal) ? CertificateAnswer.BySslStream
                : text.Length == 0 ? CertificateAnswer.Refused
                : text;
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException)
        {
            alert = AlertOf(exception);
        }

        if (seen.Accepted.IsCompleted)
        {
            await seen.Ended.Within(Patience.Limit, "the application has ended the connection");
        }

        return new CertificateAnswer(outcome, alert, _issuers, seen.Take());
    }

    private void Configure(SslClientAuthenticationOptions options)
    {
        options.EnabledSslProtocols = Version;

        // The client's sessions are the process's, so that one server would get those of another.
        options.AllowTlsResume = false;
        options.ApplicationProtocols = Request == Http2 ? [SslApplicationProtocol.Http2] : null;
        options.ClientCertificateContext = (Certificates ?? OracleCertificates.Clients)[Certificate];
        if (options.ClientCertificateContext is null)
        {
            options.LocalCertificateSelectionCallback = (_, _, _, _, issuers) =>
            {
                _issuers = string.Join(", ", issuers);
                return null!; // Shows none.
            };
        }
    }

    private byte[] Bytes()
    {
        string body = Request == "POST" ? "four" : "";
        return Request == Http2
            ? Http2Bytes.Opening(isHttps: true).ToArray()
            : Encoding.ASCII.GetBytes($"{Request} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {body.Length}\r\n\r\n{body}");
    }

    private static async Task<string> ReadAsync(Stream stream)
    {
        MemoryStream read = new();
        byte[] buffer = new byte[4096];
        string text = "";
        int count;
        while (!text.Contains(CertificateHost.EndOfAnswer, StringComparison.Ordinal) && (count = await stream.ReadAsync(buffer)) > 0)
        {
            read.Write(buffer, 0, count);
            text = Encoding.Latin1.GetString(read.GetBuffer(), 0, (int)read.Length);
        }

        return text;
    }

    /// <summary>OpenSSL packs an alert as its number and 1,000 into the reason of an error.</summary>
    private static TlsAlert? AlertOf(Exception? exception)
    {
        for (; exception is not null; exception = exception.InnerException)
        {
            if (ErrorCode().Match(exception.Message) is { Success: true } match)
            {
                uint reason = uint.Parse(match.Groups[1].Value, NumberStyles.HexNumber, CultureInfo.InvariantCulture) & 0x7F_FFFF;
                if (reason >= 1000)
                {
                    return (TlsAlert)(reason - 1000);
                }
            }
        }

        return null;
    }

    [GeneratedRegex("error:([0-9A-F]{8})")]
    private static partial Regex ErrorCode();
}

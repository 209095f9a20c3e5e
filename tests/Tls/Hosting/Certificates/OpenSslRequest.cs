using System.Globalization;
using System.Net;
using System.Text.RegularExpressions;

namespace Ioxide.Tls.Tests;

/// <summary>One request of HTTP/1.1 by <c>openssl s_client</c>.</summary>
internal static partial class OpenSslRequest
{
    /// <summary>What it printed of the server's certificate, and how it was served.</summary>
    internal static async Task<CertificateAnswer> SendAsync(IPEndPoint endPoint, params string[] arguments)
    {
        string text = await OpenSsl.RunAsync(
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            ["s_client", "-connect", endPoint.ToString(), "-status", "-ign_eof", "-nocommands", .. arguments]);
        string outcome = text.Contains(CertificateAnswer.OnRing, StringComparison.Ordinal) ? CertificateAnswer.OnRing
            : text.Contains(CertificateAnswer.BySslStream, StringComparison.Ordinal) ? CertificateAnswer.BySslStream
            : CertificateAnswer.Refused;
        TlsAlert? alert = Alert().Match(text) is { Success: true } match
            ? (TlsAlert)byte.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture)
            : null;

        // Each ticket of TLS 1.3 repeats the verdict, and SslStream gives two.
        IEnumerable<string> shown = Line().Matches(text).Select(static match => match.Value.Trim()).Distinct();
        return new CertificateAnswer(outcome, alert, "", string.Join("; ", shown));
    }

    [GeneratedRegex(
        "^ *[0-9]+ s:.*$|^ +i:.*$|^ +a:.*$|^Peer sign.*$|^Server Temp.*$|^ *Verif.*$|.*OCSP.*$|.*Cert Status.*$|New, TLSv1..",
        RegexOptions.Multiline)]
    private static partial Regex Line();

    [GeneratedRegex("alert number ([0-9]+)")]
    private static partial Regex Alert();
}

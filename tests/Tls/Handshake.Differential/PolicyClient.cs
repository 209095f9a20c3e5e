using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>A client with rules of its own; the policy of the server's process does not reach it.</summary>
/// <param name="Version">What SslStream offers.</param>
/// <param name="Suites">The suites that SslStream offers; empty for its own.</param>
/// <param name="Command">Arguments of <c>openssl s_client</c>, which takes SslStream's place where they are set.</param>
internal sealed record PolicyClient(SslProtocols Version, TlsCipherSuite[] Suites, string[]? Command = null)
{
    /// <summary>What it sees where it is refused.</summary>
    internal const string Refused = "refused";

    internal static IReadOnlyList<PolicyClient> All { get; } =
    [
        new(SslProtocols.None, []),
        new(SslProtocols.Tls12, []),
        new(SslProtocols.Tls13, []),
        new(SslProtocols.Tls13, [TlsCipherSuite.TLS_AES_128_GCM_SHA256]),
        new(SslProtocols.Tls13, [TlsCipherSuite.TLS_AES_256_GCM_SHA384]),
        new(SslProtocols.Tls13, [TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256]),
        new(SslProtocols.Tls13, [TlsCipherSuite.TLS_AES_128_CCM_SHA256]),
        new(SslProtocols.Tls12, [TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]),
        new(SslProtocols.Tls12, [TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]),
        new(
            SslProtocols.Tls12,
            [TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, TlsCipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256]),
        new(SslProtocols.Tls12, [TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384, TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384]),
        new(SslProtocols.Tls12, [TlsCipherSuite.TLS_RSA_WITH_AES_256_CBC_SHA]),
        new(SslProtocols.Tls12, [TlsCipherSuite.TLS_DHE_RSA_WITH_AES_256_GCM_SHA384]),
        new(SslProtocols.None, [TlsCipherSuite.TLS_AES_128_GCM_SHA256, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]),
        new(SslProtocols.None, [TlsCipherSuite.TLS_AES_128_CCM_SHA256, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]),
        new(SslProtocols.None, [], ["-groups", "P-521"]),
        new(SslProtocols.None, [], ["-groups", "P-256"]),
        new(SslProtocols.None, [], ["-sigalgs", "ECDSA+SHA384:RSA-PSS+SHA384"]),
        new(SslProtocols.None, [], ["-sigalgs", "RSA+SHA256:ECDSA+SHA256", "-tls1_2"]),
        new(SslProtocols.None, [], ["-cipher", "ALL:@SECLEVEL=0", "-tls1_1"]),
    ];

    /// <summary>Whether TLS 1.3 is among the versions that it offers.</summary>
    internal bool Offers13 => Version != SslProtocols.Tls12 && Command?.Intersect(["-tls1_1", "-tls1_2"]).Any() != true;

    public override string ToString() => Command is null ? $"{Version} [{string.Join(' ', Suites)}]" : $"openssl {string.Join(' ', Command)}";

    /// <summary>The suite that was agreed on once a byte came back, or <see cref="Refused"/>.</summary>
    internal async Task<string> SendAsync(EndPoint endPoint)
    {
        if (Command is not null)
        {
            return await RunAsync(endPoint, Command);
        }

        try
        {
            await using SslClient client = await SslClient.ConnectAsync(endPoint, SslClient.Options(options =>
            {
                options.EnabledSslProtocols = Version;
                options.RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate is not null; // The server made its own.
                options.CipherSuitesPolicy = Suites.Length > 0 ? new CipherSuitesPolicy(Suites) : null;
            }));
            await client.Stream.WriteAsync("x"u8.ToArray()).AsTask().Within(Patience.Limit);
            int count = await client.Stream.ReadAsync(new byte[1]).AsTask().Within(Patience.Limit, "the server answers");
            return count == 0 ? Refused : client.Stream.NegotiatedCipherSuite.ToString();
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException)
        {
            return Refused;
        }
    }

    private static async Task<string> RunAsync(EndPoint endPoint, string[] arguments)
    {
        using Process process = OpenSsl.Start(["s_client", "-quiet", "-no_ign_eof", "-nocommands", "-connect", endPoint.ToString()!, .. arguments]);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        try
        {
            await process.StandardInput.WriteLineAsync("x");
            await process.StandardInput.FlushAsync();
        }
        catch (IOException)
        {
            // It was refused before it read.
        }

        string? line = await process.StandardOutput.ReadLineAsync().Within(Patience.Limit, "openssl prints what came back");
        try
        {
            process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has ended, and what was buffered for it cannot be written.
        }

        await process.WaitForExitAsync().Within(Patience.Limit, "openssl ends");
        await errors;
        return line == "x" ? "accepted" : Refused;
    }
}

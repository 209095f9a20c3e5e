using System.Collections.Concurrent;
using System.Formats.Asn1;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ioxide.Tls.Tests;

/// <summary>Serves lists of revoked certificates, answers of OCSP and issuers' certificates over HTTP, by path, and counts who asks.</summary>
internal sealed class StatusServer : IAsyncDisposable
{
    private readonly WebApplication _app;
    private readonly Socket _closed = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly ConcurrentDictionary<string, byte[]> _files = new();
    private readonly ConcurrentDictionary<string, int> _counts = new();
    private readonly CancellationTokenSource _end = new();

    private StatusServer()
    {
        // Bound and not listening: who connects is refused.
        _closed.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        _app = builder.Build();
        _app.Run(AnswerAsync);
    }

    /// <summary>Nobody listens there.</summary>
    internal string ClosedAddress => $"http://{_closed.LocalEndPoint}/";

    internal static async Task<StatusServer> StartAsync()
    {
        StatusServer server = new();
        await server._app.StartAsync().Within(Patience.Limit);
        return server;
    }

    /// <summary>Serves these bytes. An empty file is never answered.</summary>
    internal string Add(string path, byte[] file)
    {
        _files[path] = file;
        return AddressOf(path);
    }

    /// <summary>Nothing is there unless it was added.</summary>
    internal string AddressOf(string path) => $"{_app.Urls.First()}/{path}";

    /// <summary>How often paths that begin so were asked for.</summary>
    internal int CountOf(string start)
        => _counts.Where(count => count.Key.StartsWith(start, StringComparison.Ordinal)).Sum(static count => count.Value);

    /// <summary>The list of an issuer.</summary>
    internal static byte[] List(X509Certificate2 issuer, bool isExpired, params X509Certificate2[] revoked)
    {
        CertificateRevocationListBuilder builder = new();
        Array.ForEach(revoked, certificate => builder.AddEntry(certificate));
        DateTimeOffset now = DateTimeOffset.UtcNow;
        return builder.Build(issuer, 1, now.AddHours(isExpired ? -1 : 1), HashAlgorithmName.SHA256, thisUpdate: now.AddHours(-2));
    }

    /// <summary>A successful answer about one certificate, signed by its issuer (RFC 6960, section 4.2.1).</summary>
    internal static byte[] Status(X509Certificate2 certificate, X509Certificate2 issuer, bool isRevoked)
    {
        DateTimeOffset now = DateTimeOffset.UtcNow;
        AsnWriter data = new(AsnEncodingRules.DER);
        using (data.PushSequence())
        {
            using (data.PushSequence(Context(1)))
            {
                data.WriteEncodedValue(issuer.SubjectName.RawData);
            }

            data.WriteGeneralizedTime(now, omitFractionalSeconds: true);
            using (data.PushSequence())
            using (data.PushSequence())
            {
                using (data.PushSequence())
                {
                    WriteAlgorithm(data, "1.3.14.3.2.26");
                    data.WriteOctetString(Sha1(issuer.SubjectName.RawData));
                    data.WriteOctetString(Sha1(issuer.PublicKey.EncodedKeyValue.RawData));
                    data.WriteIntegerUnsigned(certificate.SerialNumberBytes.Span);
                }

                if (isRevoked)
                {
                    using (data.PushSequence(Context(1)))
                    {
                        data.WriteGeneralizedTime(now.AddHours(-1), omitFractionalSeconds: true);
                    }
                }
                else
                {
                    data.WriteNull(new Asn1Tag(TagClass.ContextSpecific, 0));
                }

                data.WriteGeneralizedTime(now.AddHours(-1), omitFractionalSeconds: true);
                using (data.PushSequence(Context(0)))
                {
                    data.WriteGeneralizedTime(now.AddHours(1), omitFractionalSeconds: true);
                }
            }
        }

        byte[] signed = data.Encode();
        AsnWriter basic = new(AsnEncodingRules.DER);
        using (basic.PushSequence())
        {
            basic.WriteEncodedValue(signed);
            WriteAlgorithm(basic, "1.2.840.10045.4.3.2");
            basic.WriteBitString(issuer.GetECDsaPrivateKey()!.SignData(signed, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence));
        }

        AsnWriter response = new(AsnEncodingRules.DER);
        using (response.PushSequence())
        {
            response.WriteEnumeratedValue(Successful.Is);
            using (response.PushSequence(Context(0)))
            using (response.PushSequence())
            {
                response.WriteObjectIdentifier("1.3.6.1.5.5.7.48.1.1");
                response.WriteOctetString(basic.Encode());
            }
        }

        return response.Encode();
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _app.StopAsync().Within(Patience.Limit);
        await _app.DisposeAsync().AsTask().Within(Patience.Limit);
        _closed.Dispose();
        _end.Dispose();
    }

    private async Task AnswerAsync(HttpContext context)
    {
        string asked = context.Request.Path.Value!.TrimStart('/');
        _counts.AddOrUpdate(asked, 1, static (_, count) => count + 1);

        // A client of OCSP adds its question to the path.
        byte[]? file = _files.FirstOrDefault(file => asked == file.Key || asked.StartsWith($"{file.Key}/", StringComparison.Ordinal)).Value;
        if (file is { Length: 0 })
        {
            using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(_end.Token, context.RequestAborted);
            await Task.Delay(Timeout.Infinite, end.Token).ContinueWith(static _ => { }, TaskScheduler.Default);
            return;
        }

        context.Response.StatusCode = file is null ? StatusCodes.Status404NotFound : StatusCodes.Status200OK;
        await context.Response.Body.WriteAsync(file ?? []);
    }

    private static Asn1Tag Context(int number) => new(TagClass.ContextSpecific, number, isConstructed: true);

    private static void WriteAlgorithm(AsnWriter writer, string oid)
    {
        using (writer.PushSequence())
        {
            writer.WriteObjectIdentifier(oid);
        }
    }

#pragma warning disable CA5350 // What OCSP names an issuer by.
    private static byte[] Sha1(byte[] data) => SHA1.HashData(data);
#pragma warning restore CA5350

    private enum Successful
    {
        Is,
    }
}

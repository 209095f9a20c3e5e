using Ioxide;
using Ioxide.Tls;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Serves HTTPS on the ring for one endpoint of Kestrel.</summary>
public static class IoxideTlsListenOptionsExtensions
{
    /// <summary>
    /// Works like <c>UseHttps</c>, with handshakes and records on the connection's reactor. The certificate and options are found as
    /// <c>UseHttps</c> finds them. SslStream serves connections that are not on a ring, and endpoints whose options only it supports, by
    /// Kestrel's own middleware and with the same options; the log says that it serves.
    /// </summary>
    /// <exception cref="InvalidOperationException">There is no certificate, or this is the second call for the endpoint.</exception>
    public static ListenOptions UseIoxideTls(this ListenOptions listenOptions) => UseIoxideTls(listenOptions, static _ => { });

    /// <inheritdoc cref="UseIoxideTls(ListenOptions)"/>
    public static ListenOptions UseIoxideTls(this ListenOptions listenOptions, X509Certificate2 serverCertificate)
    {
        ArgumentNullException.ThrowIfNull(serverCertificate);
        return UseIoxideTls(listenOptions, https => https.ServerCertificate = serverCertificate);
    }

    /// <inheritdoc cref="UseIoxideTls(ListenOptions)"/>
    public static ListenOptions UseIoxideTls(this ListenOptions listenOptions, Action<HttpsConnectionAdapterOptions> configure)
        => UseIoxideTls(listenOptions, configure, static _ => { });

    /// <inheritdoc cref="UseIoxideTls(ListenOptions)"/>
    /// <param name="listenOptions">The endpoint.</param>
    /// <param name="configure">Sets the options of <c>UseHttps</c>.</param>
    /// <param name="configureTls">Sets the options that only Ioxide has.</param>
    public static ListenOptions UseIoxideTls(
        this ListenOptions listenOptions, Action<HttpsConnectionAdapterOptions> configure, Action<IoxideTlsOptions> configureTls)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        ArgumentNullException.ThrowIfNull(configure);
        ArgumentNullException.ThrowIfNull(configureTls);
        HttpsConnectionAdapterOptions? https = null;
        AddBefore(listenOptions, configureTls, () => https is null ? null : new KestrelAuthentication(https, listenOptions.Protocols));

        // It finds the certificate, after the options were configured, and steps aside where TLS is done before it.
        return listenOptions.UseHttps(adapter =>
        {
            configure(adapter);
            https = adapter;
        });
    }

    /// <inheritdoc cref="UseIoxideTls(ListenOptions)"/>
    /// <param name="listenOptions">The endpoint.</param>
    /// <param name="callback">
    /// Gives the options of each handshake, by the client's hello. The context's SslStream is not connected on a ring. Where it allows delayed
    /// client certificates, SslStream serves the connection, and the callback is called again.
    /// </param>
    /// <param name="configureTls">Sets the options that only Ioxide has.</param>
    public static ListenOptions UseIoxideTls(
        this ListenOptions listenOptions, TlsHandshakeCallbackOptions callback, Action<IoxideTlsOptions>? configureTls = null)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        ArgumentNullException.ThrowIfNull(callback);
        AddBefore(listenOptions, configureTls, () => new KestrelAuthentication(callback, listenOptions.Protocols));
        return listenOptions.UseHttps(callback);
    }

    private static void AddBefore(ListenOptions listenOptions, Action<IoxideTlsOptions>? configureTls, Func<KestrelAuthentication?> readHttps)
    {
        var options = new IoxideTlsOptions();
        configureTls?.Invoke(options);
        HttpsEndPoint.NoteOwnOptions(listenOptions);
        listenOptions.ApplicationServices.GetService<LateChecks>()?.Add(new TlsCheck(() => options));
        listenOptions.Use(new HttpsEndPoint(listenOptions, readHttps, options).Build);
    }
}

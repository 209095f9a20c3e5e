using Ioxide.Tls;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>HTTPS on the ring for one end point of Kestrel's.</summary>
public static class IoxideTlsListenOptionsExtensions
{
    /// <summary>
    /// Like <c>UseHttps</c>, with the handshake and the records on the connection's reactor. Certificate and options are found as
    /// <c>UseHttps</c> finds them. SslStream serves connections that are not on a ring, and end points whose options only it knows; it
    /// keeps the options, and a line in the log says so.
    /// </summary>
    /// <remarks>Where SslStream serves and cannot keep an option, the host does not start, and the exception names the option.</remarks>
    /// <exception cref="InvalidOperationException">There is no certificate, or this is the second call for the end point.</exception>
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
    /// <param name="listenOptions">The end point.</param>
    /// <param name="configure">What <c>UseHttps</c> knows.</param>
    /// <param name="configureTls">What only this knows.</param>
    public static ListenOptions UseIoxideTls(
        this ListenOptions listenOptions, Action<HttpsConnectionAdapterOptions> configure, Action<IoxideTlsOptions> configureTls)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        ArgumentNullException.ThrowIfNull(configure);
        ArgumentNullException.ThrowIfNull(configureTls);
        var options = new IoxideTlsOptions();
        configureTls(options);
        OwnTls.Add(listenOptions);
        HttpsConnectionAdapterOptions? https = null;
        listenOptions.Use(new HttpsEndPoint(listenOptions, () => https, options).Build);

        // It finds the certificate, after the options were configured, and steps aside where TLS is done before it.
        return listenOptions.UseHttps(adapter =>
        {
            configure(adapter);
            https = adapter;
        });
    }
}

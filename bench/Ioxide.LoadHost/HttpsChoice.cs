using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.LoadHost;

/// <summary>HTTPS by SslStream or by Ioxide.Tls.</summary>
internal sealed class HttpsChoice(LoadHostOptions options)
{
    private bool _isOnRing;

    internal void Use(ListenOptions listen)
    {
        if (options.IoxideTls)
        {
            listen.UseIoxideTls(
                static https => https.ServerCertificate = LoadCertificate.Create(), tls => tls.OnStarted = _ => _isOnRing = true);
        }
        else
        {
            listen.UseHttps(LoadCertificate.Create());
        }
    }

    /// <summary>To be called when the server has started.</summary>
    /// <exception cref="InvalidOperationException">SslStream serves where Ioxide.Tls was asked for.</exception>
    internal void ThrowIfNotAsAsked()
    {
        if (options.Https && options.IoxideTls != _isOnRing)
        {
            throw new InvalidOperationException("The HTTPS end point is not served as asked for.");
        }
    }
}

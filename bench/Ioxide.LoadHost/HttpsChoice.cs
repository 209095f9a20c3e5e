using Ioxide.Tls;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.LoadHost;

/// <summary>HTTPS by SslStream or by Ioxide.Tls.</summary>
internal sealed class HttpsChoice(LoadHostOptions options)
{
    internal void Use(ListenOptions listen)
    {
        if (!options.IoxideTls)
        {
            listen.UseHttps(LoadCertificate.Create());
            return;
        }

        listen.UseIoxideTls(
            static https => https.ServerCertificate = LoadCertificate.Create(), tls => tls.KernelOffload = options.KernelTls);
        listen.Use(static next => connection => connection.Features.Get<IIoxideTlsFeature>() is not null
            ? next(connection)
            : throw new InvalidOperationException("SslStream serves the HTTPS endpoint, where Ioxide.Tls was asked for."));
    }
}

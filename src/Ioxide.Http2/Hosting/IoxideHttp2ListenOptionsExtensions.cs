using Ioxide.Http2;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.AspNetCore.Hosting;

/// <summary>Says for one of Kestrel's endpoints who serves HTTP/2.</summary>
public static class IoxideHttp2ListenOptionsExtensions
{
    /// <summary>
    /// Serves this endpoint's HTTP/2 connections on their reactors, as <see cref="IoxideHttp2WebHostBuilderExtensions.UseIoxideHttp2"/> does for
    /// all.
    /// </summary>
    /// <exception cref="InvalidOperationException">Neither that nor <c>AddIoxideHttp2</c> was called.</exception>
    public static ListenOptions UseIoxideHttp2(this ListenOptions listenOptions)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        if (listenOptions.ApplicationServices.GetService<Http2Applications>() is null)
        {
            throw new InvalidOperationException("Call builder.WebHost.UseIoxideHttp2() or builder.Services.AddIoxideHttp2() before UseIoxideHttp2.");
        }

        Http2EndPoint.Choose(listenOptions, isEngine: true);
        return listenOptions;
    }

    /// <summary>Leaves HTTP/2 on this endpoint to Kestrel. Of this call and <see cref="UseIoxideHttp2"/> the last one counts.</summary>
    public static ListenOptions UseKestrelHttp2(this ListenOptions listenOptions)
    {
        ArgumentNullException.ThrowIfNull(listenOptions);
        Http2EndPoint.Choose(listenOptions, isEngine: false);
        return listenOptions;
    }
}

using Ioxide.Http2;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ioxide.LoadHost;

/// <summary>Who serves HTTP/2: Kestrel, or Ioxide.Http2 under the same pipeline.</summary>
internal static class Http2Choice
{
    internal static void AddHttp2(this IServiceCollection services, LoadHostOptions options)
    {
        if (options.IoxideHttp2)
        {
            services.AddIoxideHttp2();
        }
    }

    internal static void UseHttp2(this ListenOptions listen, LoadHostOptions options)
    {
        if (options.IoxideHttp2)
        {
            listen.UseIoxideHttp2();
        }
    }
}

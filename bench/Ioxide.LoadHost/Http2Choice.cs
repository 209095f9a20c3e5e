namespace Ioxide.LoadHost;

/// <summary>Who serves HTTP/2: Kestrel, or Ioxide.Http2 under the same pipeline.</summary>
internal static class Http2Choice
{
    internal static void UseHttp2(this IWebHostBuilder builder, LoadHostOptions options)
    {
        if (options.IoxideHttp2)
        {
            builder.UseIoxideHttp2();
        }
    }
}

using System.Net;
using Microsoft.Extensions.Configuration;

namespace Ioxide.ChaosHost;

/// <summary>Where the host listens.</summary>
internal static class HostAddresses
{
    internal static IEnumerable<IPEndPoint> Read(IConfiguration configuration)
    {
        int port = configuration.GetValue<int>("port");
        int count = configuration.GetValue("addresses", 1);
        return Enumerable.Range(1, count).Select(last => new IPEndPoint(new IPAddress([127, 0, 0, (byte)last]), port));
    }

    internal static TimeSpan ShutdownTimeout(IConfiguration configuration)
        => TimeSpan.FromSeconds(configuration.GetValue("shutdown-timeout", 5.0));
}

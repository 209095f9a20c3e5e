using System.Globalization;
using System.Net;
using Microsoft.Extensions.Configuration;

namespace Ioxide.LoadServer;

/// <summary>Something that listens, with reactors of its own. Disposing it answers what is being asked, then ends it.</summary>
internal abstract class Site(IConfiguration configuration) : IAsyncDisposable
{
    internal abstract ReactorGroup Group { get; }

    protected IConfiguration Configuration { get; } = configuration;

    /// <summary>Where it listens: as asked for, and once it listens as given.</summary>
    protected IPEndPoint[] EndPoints { get; set; } = [.. Enumerable
        .Range(1, configuration.GetValue("addresses", 1))
        .Select(last => new IPEndPoint(new IPAddress([127, 0, 0, (byte)last]), configuration.GetValue<int>("port")))];

    /// <summary>Seconds that its end may take.</summary>
    protected TimeSpan ShutdownTimeout => TimeSpan.FromSeconds(Configuration.GetValue("shutdown-timeout", 5.0));

    /// <summary>Starts one and names its addresses.</summary>
    /// <param name="kind">Such as <c>kestrel:2</c>: what it is, and how many reactors it has.</param>
    /// <param name="configuration">See <c>Program.cs</c>.</param>
    /// <param name="before">Those that listen by now.</param>
    internal static async Task<Site> StartAsync(string kind, IConfiguration configuration, IReadOnlyList<Site> before)
    {
        string[] words = kind.Split(':');
        int reactorCount = int.Parse(words[1], CultureInfo.InvariantCulture);
        Site site = words[0] switch
        {
            "raw" => new RawSite(configuration, reactorCount),
            "packages" => new PackagesSite(configuration, reactorCount, before[0].EndPoints[0]),
            _ => new KestrelSite(configuration, reactorCount),
        };
        await site.ListenAsync();
        foreach (IPEndPoint endPoint in site.EndPoints)
        {
            Console.WriteLine($"listening {endPoint}");
        }

        return site;
    }

    internal abstract Task RestartAsync();

    public abstract ValueTask DisposeAsync();

    protected abstract Task ListenAsync();
}

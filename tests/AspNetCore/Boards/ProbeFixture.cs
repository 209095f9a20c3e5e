namespace Ioxide.AspNetCore.Tests;

/// <summary>The servers of the probe, started once, and the board of their answers.</summary>
public sealed class ProbeFixture : IAsyncLifetime
{
    internal const string Stock = "stock";

    private readonly string _folder = Directory.CreateTempSubdirectory("ioxide-probe-").FullName;
    private readonly Dictionary<string, TestServer> _servers = [];

    internal Board Board { get; } = new("Http1Probe", Stock);

    public async ValueTask InitializeAsync()
    {
        await File.WriteAllTextAsync(Path.Combine(_folder, ProbeText.FilePath[1..]), "A file of thirty bytes, nearly.");
        _servers.Add(Stock, await StartAsync(TransportKind.Sockets));
        if (RingProbe.Check() == RingSupport.Supported)
        {
            _servers.Add("ioxide", await StartAsync(TransportKind.Ioxide));
            _servers.Add("ioxide-files", await StartAsync(TransportKind.Ioxide, usesIoxideFiles: true));
        }
    }

    /// <summary>Plays a case to each server that it concerns, and keeps the answers.</summary>
    internal async Task PlayAsync(ProbeCase played)
    {
        Assert.SkipUnless(_servers.Count > 1, $"This host refuses rings: {RingProbe.Check()}.");
        IEnumerable<string> asked = _servers.Keys.Where(server => played.AsksForFile || server != "ioxide-files");
        await Task.WhenAll(asked.Select(async server =>
        {
            Prober prober = new(_servers[server].EndPoint, 20.Seconds(), 150.Milliseconds());
            Board.Add(played.Id, played.Source, server, await prober.PlayAsync(played));
        }));
    }

    public async ValueTask DisposeAsync()
    {
        foreach (TestServer server in _servers.Values)
        {
            await server.DisposeAsync();
        }

        Board.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private Task<TestServer> StartAsync(TransportKind transport, bool usesIoxideFiles = false) => TestServer.StartAsync(new ServerSetup(transport)
    {
        // Kestrel logs a bad chunk as an error of the application that reads it.
        ExpectsErrors = true,
        Builder = builder => ProbeApplication.Register(builder.Services, usesIoxideFiles),
        Map = app => ProbeApplication.Map(app, _folder, usesIoxideFiles),
    });
}

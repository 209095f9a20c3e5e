using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;

namespace Ioxide.BadNetwork;

/// <summary>One side in its process, its peers, and the network between them: three namespaces, or loopback where a proxy does the harm.</summary>
internal sealed partial class Stage : IAsyncDisposable
{
    private readonly IPEndPoint[] _endPoints;
    private int _lastNumber;

    private Stage(Side side, Network? network, HostProcess process, FaultProxy database, FaultProxy upstream, IPEndPoint[] endPoints)
    {
        Side = side;
        OptionalNetwork = network;
        Process = process;
        Database = database;
        Upstream = upstream;
        _endPoints = endPoints;
    }

    internal Side Side { get; }

    /// <summary>The namespaces; a stage on loopback has none.</summary>
    internal Network Network => OptionalNetwork ?? throw new InvalidOperationException("This stage is on loopback.");

    internal HostProcess Process { get; }

    /// <summary>In front of PostgreSQL.</summary>
    internal FaultProxy Database { get; }

    /// <summary>In front of the web server that the side asks.</summary>
    internal FaultProxy Upstream { get; }

    private Network? OptionalNetwork { get; }

    /// <summary>Starts a side and waits until it serves.</summary>
    internal static async Task<Stage> StartAsync(Side side, Network? network, bool isImpatient)
    {
        PostgresServer postgres = await PostgresServer.SharedAsync();
        EndPoint web = await BadNetwork.Upstream.GetAsync();
        FaultProxy database = await StartProxyAsync(network, postgres.UnixEndPoint);
        FaultProxy upstream = await StartProxyAsync(network, web);
        string address = (network is null ? IPAddress.Loopback : Network.NearAddress).ToString();
        var process = HostProcess.Start(
            "Ioxide.BadNetworkHost",
            [
                $"--side={side}", $"--address={address}", $"--impatient={isImpatient}",
                $"--database={database.EndPoint}", $"--upstream={upstream.EndPoint}",
            ],
            network?.Near.Command,
            endsWithInput: true);
        try
        {
            await process.MatchesAsync(Ready());
            Match[] addresses = await process.MatchesAsync(Listening());
            IPEndPoint[] endPoints = [.. addresses.Select(static match => IPEndPoint.Parse(match.Groups[1].Value))];
            return new(side, network, process, database, upstream, endPoints);
        }
        catch
        {
            process.Kill();
            throw;
        }
    }

    /// <summary>Where a subject's server listens.</summary>
    internal IPEndPoint EndPointOf(Subject subject) => _endPoints[(int)subject];

    /// <summary>A connection to a subject's server, from where its peers are.</summary>
    /// <param name="subject">Which server.</param>
    /// <param name="endPoint">Another address, such as a proxy's in front of it.</param>
    internal async Task<Socket> ConnectAsync(Subject subject, EndPoint? endPoint = null)
    {
        Socket socket = OptionalNetwork is null
            ? RawSocket.Create(EndPointOf(subject))
            : await Network.Far.RunAsync(() => RawSocket.Create(EndPointOf(subject)));
        try
        {
            await socket.ConnectAsync(endPoint ?? EndPointOf(subject));
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>A client of a subject's server that is patient.</summary>
    internal HttpClient CreateClient(Subject subject, EndPoint? endPoint = null)
    {
        var handler = new SocketsHttpHandler
        {
            UseProxy = false,
            ConnectCallback = async (_, _) => new NetworkStream(await ConnectAsync(subject, endPoint), ownsSocket: true),
            SslOptions = { RemoteCertificateValidationCallback = static (_, certificate, _, _) => certificate?.Subject == "CN=localhost" },
        };
        return new HttpClient(handler)
        {
            BaseAddress = new Uri($"{(subject == Subject.Tls ? "https" : "http")}://localhost/"),
            DefaultRequestVersion = subject == Subject.Http2 ? HttpVersion.Version20 : HttpVersion.Version11,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = TimeSpan.FromMinutes(2),
        };
    }

    /// <summary>Has the side do something; gives its answer, or how it failed.</summary>
    internal async Task<string> AskAsync(string command)
    {
        string number = Interlocked.Increment(ref _lastNumber).ToString(CultureInfo.InvariantCulture);
        Process.WriteLine($"{number} {command}");
        Match[] answers = await Process.MatchesAsync(new Regex($"^{number} (.*)$"), patience: TimeSpan.FromMinutes(2));
        return answers[0].Groups[1].Value;
    }

    /// <summary>Where nothing may be lost, every answer is whole. Gives what they are.</summary>
    internal string AllWhole(params IEnumerable<string> answers)
    {
        Assert.True(answers.All(static answer => answer == Outcome.Whole), $"{Side}: {string.Join(", ", answers)}");
        return Outcome.Whole;
    }

    /// <summary>What the side holds: of its own account, and sockets as the kernel counts them.</summary>
    internal async Task<string> HeldAsync()
    {
        int sockets = Process.OpenDescriptors().Count(static target => target.StartsWith("socket:", StringComparison.Ordinal));
        return $"{await AskAsync("held")}, {sockets} sockets";
    }

    /// <summary>Waits until a handler runs.</summary>
    internal Task UntilRunningAsync()
        => Waits.Until(HeldAsync, static held => held.Contains(" 1 requests", StringComparison.Ordinal), 20.Seconds(), "a handler runs");

    /// <summary>Waits until a handler has ended, and gives how each has that ended meanwhile.</summary>
    /// <param name="name">Such as <c>down:</c>.</param>
    internal Task<string> UntilSeenAsync(string name)
        => Waits.Until(() => AskAsync("seen"), seen => seen.Contains(name, StringComparison.Ordinal), 20.Seconds(), $"a handler has ended, {name}");

    public async ValueTask DisposeAsync()
    {
        await Process.DisposeAsync();
        await Database.DisposeAsync();
        await Upstream.DisposeAsync();
    }

    private static async Task<FaultProxy> StartProxyAsync(Network? network, EndPoint target)
        => network is null
            ? FaultProxy.Start(target)
            : await network.Far.RunAsync(() => FaultProxy.StartAt(new IPEndPoint(Network.FarAddress, 0), target));

    [GeneratedRegex("^ready$")]
    private static partial Regex Ready();

    [GeneratedRegex(@"^listening (\S+)$")]
    private static partial Regex Listening();
}

using System.Net;

namespace Ioxide.Files.Tests;

/// <summary>Two hosts of one folder, each a process of its own: ours, and stock Kestrel with <c>UseStaticFiles</c> as the oracle.</summary>
internal sealed class HostPair : IAsyncDisposable
{
    private readonly HostProcess _ours;
    private HostProcess? _stock;
    private IPEndPoint? _ourEndPoint;
    private IPEndPoint? _stockEndPoint;

    private HostPair(HostProcess ours) => _ours = ours;

    /// <summary>What we logged of files.</summary>
    internal IEnumerable<string> Log => _ours.Lines.Where(static line => line.Contains("Ioxide.Files", StringComparison.Ordinal));

    /// <summary>Starts both in namespaces of their own.</summary>
    /// <param name="script">What a shell does there before.</param>
    /// <param name="folder">What is served.</param>
    /// <param name="arguments">What our host takes beside the folder.</param>
    internal static async Task<HostPair> StartApartAsync(string script, string folder, params string[] arguments)
    {
        await Namespaces.SkipUnlessAllowedAsync();
        return await StartAsync(Namespaces.Command(script), Namespaces.CommandWithin, folder, arguments);
    }

    /// <param name="command">Starts our host.</param>
    /// <param name="beside">Starts the other, beside the process of that number.</param>
    /// <param name="folder">What is served.</param>
    /// <param name="arguments">What our host takes beside the folder.</param>
    internal static async Task<HostPair> StartAsync(string[] command, Func<int, string[]> beside, string folder, params string[] arguments)
    {
        var pair = new HostPair(BlockedHost.StartUnder(command, ["--folder", folder, .. arguments]));
        try
        {
            pair._ourEndPoint = EndPointOf(await pair._ours.ListeningAsync());
            pair._stock = BlockedHost.StartUnder(beside(pair._ours.Id), "--folder", folder, "--sockets");
            pair._stockEndPoint = EndPointOf(await pair._stock.ListeningAsync());
            return pair;
        }
        catch
        {
            await pair.DisposeAsync();
            throw;
        }
    }

    /// <summary>What a path leads to for the hosts.</summary>
    internal string PathOf(string path) => Namespaces.PathOf(_ours.Id, path);

    /// <summary>Runs a command where the hosts run; it must succeed.</summary>
    internal async Task RunAsync(params string[] command)
    {
        (int status, string output) = await TryRunAsync(command);
        Assert.True(status == 0, $"{string.Join(' ', command)}: {output}");
    }

    internal Task<(int Status, string Output)> TryRunAsync(params string[] command)
        => Namespaces.RunAsync([.. Namespaces.CommandWithin(_ours.Id), .. command]);

    internal Task<RawResponse> OursAsync(string path, string headers = "") => AskAsync(_ourEndPoint!, path, headers);

    internal Task<RawResponse> StockAsync(string path, string headers = "") => AskAsync(_stockEndPoint!, path, headers);

    /// <summary>Asks our host until it has the answer.</summary>
    internal Task<RawResponse> OursAsync(string path, Func<RawResponse, bool> isExpected, string what)
        => Waits.Until(() => OursAsync(path), isExpected, 60.Seconds(), $"{path}: {what}\n{string.Join('\n', Log)}");

    /// <summary>Waits until our answer is the other's: its status and its content.</summary>
    internal async Task SameAsync(string path)
    {
        RawResponse stock = await StockAsync(path);
        await OursAsync(
            path,
            ours => ours.Status == stock.Status && ours.Body.AsSpan().SequenceEqual(stock.Body),
            $"{stock.Status} with {stock.Body.Length} bytes");
    }

    /// <summary>Lines of our log about files in which the text is.</summary>
    internal int LinesWith(string text) => Log.Count(line => line.Contains(text, StringComparison.Ordinal));

    /// <summary>Both end in order.</summary>
    internal async Task StopAsync()
    {
        Assert.Equal((0, 0), (await _ours.StopAsync(), await _stock!.StopAsync()));
        Assert.DoesNotContain(
            _ours.Lines,
            static line => line.StartsWith("fail:", StringComparison.Ordinal) || line.StartsWith("crit:", StringComparison.Ordinal));
    }

    public async ValueTask DisposeAsync()
    {
        if (_stock is not null)
        {
            await _stock.DisposeAsync();
        }

        await _ours.DisposeAsync();
    }

    private static IPEndPoint EndPointOf(Uri address) => new(IPAddress.Loopback, address.Port);

    /// <remarks>On a connection of its own: an answer may end it.</remarks>
    private static async Task<RawResponse> AskAsync(IPEndPoint endPoint, string path, string headers)
    {
        using RawClient client = await RawClient.ConnectAsync(endPoint);
        return await client.GetAsync($"/site{path}", headers);
    }
}

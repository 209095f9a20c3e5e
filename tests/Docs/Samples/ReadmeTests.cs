using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>
/// A sample does what its README says: the commands of the block marked <c>serve</c> are started, those of <c>ask</c> are run, and they print what
/// the block behind them shows. The servers' output has the lines of the block marked <c>log</c>.
/// </summary>
/// <remarks>Ports of a README stand for those that the kernel chooses. The programs are those of the tests' build.</remarks>
public partial class ReadmeTests
{
    // Without its progress; a prompt would stand on a line of its own.
    private const string Curl = "curl() { command curl --silent --show-error --fail \"$@\" && echo; }\n";

    public static TheoryData<string> Samples
        => [.. Fence.All.Where(static fence => fence is { File: ['s', 'a', 'm', 'p', ..], Directive: "serve" }).Select(static fence => SampleOf(fence.File))];

    [Theory, MemberData(nameof(Samples))]
    public async Task WhatItAsksIsAnsweredAsItShows(string sample)
    {
        Fence[] fences = [.. Fence.All.Where(fence => fence.File == $"samples/{sample}/README.md")];
        Dictionary<string, int> ports = [];
        List<HostProcess> servers = [];
        try
        {
            foreach (string command in Marked(fences, "serve").SelectMany(static fence => fence.Text.Split('\n')))
            {
                servers.Add(await ServeAsync(command, ports));
            }

            foreach (Fence log in Marked(fences, "log"))
            {
                // An endpoint is named as it was asked for, which is port 0 for each.
                string[] printed = [.. servers.SelectMany(static server => server.Lines)];
                Assert.All(
                    WithPorts(log.Text, ports.ToDictionary(static port => port.Key, static _ => 0)).Split('\n').CountBy(static line => line),
                    line => Assert.Equal(line.Value, printed.Count(said => said.Contains(line.Key, StringComparison.Ordinal))));
            }

            foreach (Fence ask in Marked(fences, "ask"))
            {
                Fence shown = fences[Array.IndexOf(fences, ask) + 1];
                string script = Run().Replace(WithPorts(ask.Text, ports), static match => $"dotnet '{HostProcess.PathOf(Sample.ProgramOf(match.Groups[1].Value))}' ");
                (int status, string output) = await ShellScript.RunAsync(Curl + script);
                Assert.True(status == 0, $"{script}\nended with {status}:\n{output}\n{string.Join('\n', servers.Select(static server => server.Output))}");
                Assert.Equal(LinesOf(shown.Text), LinesOf(output));
            }

            foreach (HostProcess server in servers)
            {
                Assert.Equal(0, await server.StopAsync());
            }
        }
        finally
        {
            foreach (HostProcess server in servers)
            {
                await server.DisposeAsync();
            }
        }
    }

    /// <summary>The control: these are read, and not passed by for a mark that is misspelt.</summary>
    [Fact]
    public void EachReadmeServesAndAsks()
        => Assert.All(
            Fence.Documents.Where(static file => file.StartsWith("samples/", StringComparison.Ordinal) && file.Count(static sign => sign == '/') == 2),
            static file => Assert.Superset(
                new HashSet<string?> { "serve", "ask" }, Fence.All.Where(fence => fence.File == file).Select(static fence => fence.Directive).ToHashSet()));

    /// <summary>Starts a command on free ports, and adds which stands for which.</summary>
    private static async Task<HostProcess> ServeAsync(string command, Dictionary<string, int> ports)
    {
        Match run = Run().Match(command);
        Assert.True(run.Success, command);
        string arguments = WithPorts(command[run.Length..], ports);
        string[] own = [.. OwnPort().Matches(arguments).Select(static match => match.Value)];
        HostProcess server = HostProcess.Start(
            Sample.ProgramOf(run.Groups[1].Value),
            [.. OwnPort().Replace(arguments, "0").Replace("localhost", "127.0.0.1", StringComparison.Ordinal).Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
        try
        {
            IReadOnlyList<Uri> addresses = await server.ListeningAsync(own.Length);
            foreach ((string port, Uri address) in own.Zip(addresses))
            {
                ports.Add(port, address.Port);
            }

            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    private static IEnumerable<Fence> Marked(Fence[] fences, string mark) => fences.Where(fence => fence.Directive == mark);

    private static string WithPorts(string text, Dictionary<string, int> ports)
        => Number().Replace(text, match => ports.TryGetValue(match.Value, out int port) ? $"{port}" : match.Value);

    private static string[] LinesOf(string text) => [.. text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)];

    private static string SampleOf(string file) => file.Split('/')[1];

    [GeneratedRegex(@"(?<=^|\| )dotnet run -c Release --project samples/(\w+)(?: -- )?", RegexOptions.Multiline)]
    private static partial Regex Run();

    [GeneratedRegex(@"(?<=--(?:[a-z]+-)?port |--urls http://localhost:)\d+")]
    private static partial Regex OwnPort();

    [GeneratedRegex(@"\b\d+\b")]
    private static partial Regex Number();
}

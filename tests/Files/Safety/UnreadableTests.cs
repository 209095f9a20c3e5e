using System.Net;

namespace Ioxide.Files.Tests;

/// <summary>
/// What the process must not read is skipped and told once, and everything beside it is served. Root may read everything, so the
/// host runs as another user then.
/// </summary>
public sealed class UnreadableTests : IDisposable
{
    private const UnixFileMode Everyone = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
        | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    private readonly TestFolder _outer = new();

    public UnreadableTests()
    {
        _outer.With("site/a.txt", "a").With("site/closed.txt", "closed").With("site/lost+found/b.txt", "b").With("site/c/d.txt", "d");
        File.SetUnixFileMode(_outer.Path, Everyone);
        File.SetUnixFileMode(_outer["site/closed.txt"], UnixFileMode.None);
        File.SetUnixFileMode(_outer["site/lost+found"], UnixFileMode.None);
    }

    public void Dispose()
    {
        File.SetUnixFileMode(_outer["site"], Everyone);
        File.SetUnixFileMode(_outer["site/lost+found"], Everyone);
        _outer.Dispose();
    }

    [Fact]
    public async Task WhatMustNotBeReadIsSkippedAndToldOnceAndTheRestIsServed()
    {
        await using HostProcess host = Start();
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync() };
        Assert.Equal("a", await client.GetStringAsync(Of("a.txt")));
        Assert.Equal("d", await client.GetStringAsync(Of("c/d.txt")));
        foreach (string path in new[] { "closed.txt", "lost+found/b.txt" })
        {
            using HttpResponseMessage response = await client.GetAsync(Of(path));
            Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        }

        // Reloads succeed, and have nothing to tell again.
        for (int round = 0; round < 3; round++)
        {
            string name = $"later-{round}.txt";
            _outer.With($"site/{name}", name);
            await ServedAsync(client, name, name);
        }

        Assert.Equal(1, LinesOf(host, "closed.txt"));
        Assert.Equal(1, LinesOf(host, "lost+found"));
        Assert.Equal(0, LinesOf(host, "could not be read again"));

        // What may be read from now on is served.
        File.SetUnixFileMode(_outer["site/closed.txt"], Everyone);
        File.SetUnixFileMode(_outer["site/lost+found"], Everyone);
        await ServedAsync(client, "closed.txt", "closed");
        await ServedAsync(client, "lost+found/b.txt", "b");
        Assert.Equal(0, await host.StopAsync());
    }

    [Fact]
    public async Task ARootThatMustNotBeReadEndsTheStart()
    {
        File.SetUnixFileMode(_outer["site"], UnixFileMode.None);
        await using HostProcess host = Start();
        Assert.Equal(1, await host.ExitAsync());
        Assert.Contains($"The folder {_outer["site"]} cannot be listed: EACCES", host.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ARootThatMustNotBeReadForAWhileIsServedFromWhatIsKnown()
    {
        await using HostProcess host = Start();
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync() };
        File.SetUnixFileMode(_outer["site"], UnixFileMode.None);
        await Waits.Eventually(() => LinesOf(host, "could not be read again") == 1, 20.Seconds());
        Assert.Equal("a", await client.GetStringAsync(Of("a.txt")));
        _outer.With("site/later.txt", "later");
        File.SetUnixFileMode(_outer["site"], Everyone);
        await ServedAsync(client, "later.txt", "later");
        Assert.Equal(1, LinesOf(host, "could not be read again"));
        Assert.Equal(0, await host.StopAsync());
    }

    private HostProcess Start()
    {
        bool isRoot = Environment.IsPrivilegedProcess;
        Assert.SkipUnless(!isRoot || File.Exists("/usr/bin/setpriv"), "setpriv (util-linux) is not installed.");
        return BlockedHost.StartUnder(isRoot ? UnusedUser.Command() : [], "--folder", _outer["site"]);
    }

    private static Uri Of(string path) => new($"site/{path}", UriKind.Relative);

    private static int LinesOf(HostProcess host, string text)
        => host.Lines.Count(line => line.Contains("Ioxide.Files", StringComparison.Ordinal) && line.Contains(text, StringComparison.Ordinal));

    private static async Task ServedAsync(HttpClient client, string path, string expected)
        => await Waits.Until(
            async () =>
            {
                using HttpResponseMessage response = await client.GetAsync(Of(path));
                return await response.Content.ReadAsStringAsync();
            },
            text => text == expected,
            60.Seconds(), $"{path} is {expected}");
}

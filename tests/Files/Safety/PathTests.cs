using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>
/// Nothing outside the folder is served, whatever the path is spelled like. Beside the folder lies a secret, and a control inside
/// it shows that the server serves. Each path is tried in every way.
/// </summary>
public class PathTests
{
    private const string Secret = "the secret beside the folder";

    [Theory, Each(
        "/../secret.txt", "/a/../../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/.%2e/secret.txt",
        "/%252e%252e/secret.txt", "/%252e%252e%252fsecret.txt", "/..%252fsecret.txt", "/..\\secret.txt", "/..%5csecret.txt", "/%5c..%5csecret.txt",
        "/a/..%5c..%5csecret.txt", "/%c0%ae%c0%ae/secret.txt", "/%c0%ae%c0%ae%c0%afsecret.txt", "/%e0%80%ae%e0%80%ae/secret.txt",
        "/%uff0e%uff0e/secret.txt", "/....//secret.txt", "/..;/secret.txt", "/./../secret.txt", "//../secret.txt", "/a//../../secret.txt",
        "/%00/../secret.txt", "/inside.txt%00", "/inside.txt%00.css", "/..%00/secret.txt", "/%2e%2e%00/secret.txt", "/~/secret.txt",
        "/proc/self/environ", "//etc/passwd", "/%2fetc%2fpasswd", "/file:///etc/passwd", "/..%ef%bc%8fsecret.txt",
        "/\u00c0\u00ae\u00c0\u00ae/secret.txt", "/.%2fsecret.txt", "/inside.txt/../../secret.txt", "/inside.txt/", "/inside.txt/x", "/.hidden",
        "/.git/config", "/a/.hidden", "/link.txt", "/folder-link/secret.txt", "/inner-link.txt", "/fifo.txt", "/device.txt", "/socket.txt")]
    public async Task NothingOutsideTheFolderIsServed(string target)
    {
        using TestFolder outer = new();
        string root = MakeRoot(outer);
        foreach (Way way in new[] { Way.Ring, Way.ShortCircuit })
        {
            await using FileServer server = await FileServer.StartAsync(new FileServerSetup { Way = way, Folder = root });
            using (RawClient client = await server.ConnectAsync())
            {
                await client.SendAsync($"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                string answer = Encoding.Latin1.GetString((await client.ReadToEndAsync()).Bytes);
                Assert.Matches("^HTTP/1\\.1 (400|404) ", answer);
                Assert.DoesNotContain(Secret, answer, StringComparison.Ordinal);
                Assert.DoesNotContain("root:", answer, StringComparison.Ordinal);
            }

            using RawClient control = await server.ConnectAsync();
            Assert.Equal("inside", (await control.GetAsync("/inside.txt")).Text);
        }
    }

    [Theory]
    [InlineData(SymbolicLinks.Refuse, false, false)]
    [InlineData(SymbolicLinks.FollowInside, true, false)]
    [InlineData(SymbolicLinks.FollowAnywhere, true, true)]
    public async Task LinksLeadAsFarAsTheOptionSays(SymbolicLinks links, bool leadsInside, bool leadsOutside)
    {
        using TestFolder outer = new();
        string root = MakeRoot(outer);
        await using FileServer server = await FileServer.StartAsync(new FileServerSetup
        {
            Folder = root,
            Options = options => options.SymbolicLinks = links,
        });
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(leadsInside ? 200 : 404, (await client.GetAsync("/inner-link.txt")).Status);
        Assert.Equal(leadsOutside ? 200 : 404, (await client.GetAsync("/link.txt")).Status);
        Assert.Equal(leadsOutside ? 200 : 404, (await client.GetAsync("/folder-link/secret.txt")).Status);
        Assert.Equal(404, (await client.GetAsync("/circle/circle/inside.txt")).Status);
    }

    [Fact]
    public async Task DotFilesAreServedWhereTheOptionSaysSo()
    {
        using TestFolder folder = new TestFolder().With(".hidden.txt", "a").With(".git/b.txt", "b").With(".well-known/c.txt", "c");
        await using FileServer closed = await FileServer.StartAsync(Way.ShortCircuit, folder);
        await using FileServer open = await FileServer.StartAsync(Way.ShortCircuit, folder, static options => options.ServeDotFiles = true);
        using RawClient closedClient = await closed.ConnectAsync();
        using RawClient openClient = await open.ConnectAsync();
        foreach (string path in new[] { "/.hidden.txt", "/.git/b.txt" })
        {
            Assert.Equal(404, (await closedClient.GetAsync(path)).Status);
            Assert.Equal(200, (await openClient.GetAsync(path)).Status);
        }

        Assert.Equal("c", (await closedClient.GetAsync("/.well-known/c.txt")).Text);
    }

    [Theory]
    [InlineData("gr\u00fc\u00dfe \u65e5\u672c.txt", "/gr%C3%BC%C3%9Fe%20%E6%97%A5%E6%9C%AC.txt")]
    [InlineData("100%.txt", "/100%25.txt")]
    [InlineData("a+b&c=d;e,f!.txt", "/a+b&c=d;e,f!.txt")]
    [InlineData("x?y#z.txt", "/x%3Fy%23z.txt")]
    [InlineData("\ud83d\ude00.txt", "/%F0%9F%98%80.txt")]
    [InlineData("back\\slash.txt", "/back%5Cslash.txt")]
    [InlineData("%2e%2e.txt", "/%252e%252e.txt")]
    public async Task NamesInAnyScriptAreServedUnderTheirEncodedPath(string name, string target)
    {
        using TestFolder folder = new TestFolder().With(name, "content");
        foreach (Way way in new[] { Way.Ring, Way.ShortCircuit })
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            Assert.Equal("content", (await client.GetAsync(target)).Text);
        }
    }

    [Fact]
    public async Task APathOfAMegabyteIsRefused()
    {
        using TestFolder folder = new TestFolder().With("a.txt", "a");
        foreach (Way way in new[] { Way.Ring, Way.ShortCircuit })
        {
            await using FileServer server = await FileServer.StartAsync(way, folder);
            using RawClient client = await server.ConnectAsync();
            Task sending = client.SendAsync(RawClient.Get("/" + new string('a', 1024 * 1024)));
            Assert.Equal(414, (await client.ReadResponseAsync()).Status);
            await Task.WhenAny(sending);
            Assert.True(sending.IsCompleted);
            using RawClient other = await server.ConnectAsync();
            Assert.Equal(200, (await other.GetAsync("/a.txt")).Status);
        }
    }

    [Fact]
    public async Task FilesThatCannotBeReadAreLeftOut()
    {
        Assert.SkipWhen(Environment.IsPrivilegedProcess, "Root may read every file.");
        using TestFolder folder = new TestFolder().With("a.txt", "a").With("b.txt", "b");
        File.SetUnixFileMode(folder["b.txt"], UnixFileMode.None);
        await using FileServer server = await FileServer.StartAsync(Way.ShortCircuit, folder);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal(200, (await client.GetAsync("/a.txt")).Status);
        Assert.Equal(404, (await client.GetAsync("/b.txt")).Status);
    }

    /// <summary>A folder with everything in it that must not be served, and one file that must.</summary>
    private static string MakeRoot(TestFolder outer)
    {
        outer.With("secret.txt", Secret).With("root/inside.txt", "inside").With("root/a/b.txt", "b").With("root/.hidden", Secret)
            .With("root/a/.hidden", Secret).With("root/.git/config", Secret);
        string root = outer["root"];
        File.CreateSymbolicLink(Path.Join(root, "link.txt"), outer["secret.txt"]);
        Directory.CreateSymbolicLink(Path.Join(root, "folder-link"), outer.Path);
        File.CreateSymbolicLink(Path.Join(root, "inner-link.txt"), "a/b.txt");
        Directory.CreateSymbolicLink(Path.Join(root, "circle"), ".");
        Special.MakeFifo(Path.Join(root, "fifo.txt"));
        Special.TryMakeNullDevice(Path.Join(root, "device.txt"));
        Special.MakeSocket(Path.Join(root, "socket.txt"));
        return root;
    }
}

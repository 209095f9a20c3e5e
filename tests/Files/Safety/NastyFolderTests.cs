using System.Diagnostics;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Files.Tests;

/// <summary>
/// Whatever lies in a folder, and whatever the application's own delegates do, the folder is served, the watch sees the next change
/// and the host stops in order. Beside each oddity lies an ordinary file, which is the control.
/// </summary>
public sealed class NastyFolderTests : IDisposable
{
    private readonly TestFolder _folder = new TestFolder().With("a.txt", "a");

    /// <remarks>The framework cannot remove names that it cannot say, and paths beyond what the kernel takes.</remarks>
    public void Dispose()
    {
        using Process remove = Process.Start("rm", ["-rf", "--", _folder.Path]);
        remove.WaitForExit();
    }

    [Theory, Each(1902, 1969, 2038, 2200, 2263, 2400)]
    public async Task AFileOfAnyDateIsServed(int year)
    {
        _folder.With("dated.txt", "dated"u8.ToArray(), new DateTime(year, 7, 1, 2, 3, 4, DateTimeKind.Utc));
        await using FileServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        RawResponse response = await client.GetAsync("/dated.txt");
        Assert.Equal("dated", response.Text);

        // RFC 9110, section 8.8.2.1: no date is later than that of the answer.
        DateTimeOffset modified = DateTimeOffset.Parse(response.Headers["Last-Modified"], System.Globalization.CultureInfo.InvariantCulture);
        Assert.True(modified <= DateTimeOffset.UtcNow);
        Assert.True(year > 2020 || modified.Year == year);
        await AssertWatchLivesAsync(client);
    }

    [Fact]
    public async Task ADateThatComesWhileItIsServedEndsNothing()
    {
        await using FileServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        _folder.With("dated.txt", "dated"u8.ToArray(), new DateTime(2400, 1, 1, 0, 0, 0, DateTimeKind.Utc));
        await ReleaseTests.ServedAsync(client, "/dated.txt", "dated");
        await AssertWatchLivesAsync(client);
    }

    [Fact]
    public async Task ANameThatIsNotUtf8IsSkippedAndTakesNoOtherNamesPlace()
    {
        _folder.With("a\ufffd.txt", "named so").With("raw", "not UTF-8");
        await using FileServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        Special.Rename(_folder["raw"], [.. Encoding.UTF8.GetBytes(_folder["a"]), 0xFF, .. ".txt"u8]);
        await AssertWatchLivesAsync(client);
        Assert.Equal("named so", (await client.GetAsync("/a%EF%BF%BD.txt")).Text);
        Assert.NotEqual(200, (await client.GetAsync("/a%FF.txt")).Status);
        Assert.Equal(1, SkippedLines(server, "a\\xFF.txt"));

        // It is told again neither by the next reload nor by any later one.
        await server.Files.ReloadAsync();
        Assert.Equal(1, SkippedLines(server, "a\\xFF.txt"));
    }

    [Fact]
    public async Task ALineOfTheLogIsOneLineWhateverTheNameIs()
    {
        Special.MakeFifo(_folder["evil\nwarn: forged.txt"]);
        await using FileServer server = await StartAsync();
        Assert.All(server.Logs.Where(static line => line.Category == "Ioxide.Files"), static line => Assert.DoesNotContain("\n", line.Message, StringComparison.Ordinal));
        Assert.Equal(1, SkippedLines(server, "forged.txt"));
    }

    [Fact]
    public async Task NamesWithControlBytesAndOfTheGreatestLengthAreServed()
    {
        string longest = new string('x', 251) + ".txt";
        _folder.With("tab\tand\u0001.txt", "control").With(longest, "long").With("line\nbreak.txt", "break");
        await using FileServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("control", (await client.GetAsync("/tab%09and%01.txt")).Text);
        Assert.Equal("break", (await client.GetAsync("/line%0Abreak.txt")).Text);
        Assert.Equal("long", (await client.GetAsync("/" + longest)).Text);
        await AssertWatchLivesAsync(client);
    }

    [Fact]
    public async Task APathBeyondWhatTheKernelTakesIsSkipped()
    {
        // Made from the inside out, because no call takes the whole path.
        const int Depth = 30;
        string name = new('d', 200);
        string inner = _folder["inner"];
        Directory.CreateDirectory(inner);
        File.WriteAllText(Path.Join(inner, "deep.txt"), "deep");
        for (int depth = 0; depth < Depth; depth++)
        {
            string outer = _folder["outer"];
            Directory.CreateDirectory(outer);
            Directory.Move(inner, Path.Join(outer, name));
            Directory.Move(outer, inner);
        }

        await using FileServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        await AssertWatchLivesAsync(client);
    }

    [Fact]
    public async Task ADelegateThatThrowsCostsItsOwnFileAtMost()
    {
        _folder.With("bad.txt", "bad").With("bad.css", "bad");
        await using FileServer server = await StartAsync(static options =>
        {
            options.IsImmutable = static path => path == "bad.txt" ? throw new InvalidOperationException("of the delegate") : false;
            options.ContentTypes = new ThrowingTypes();
        });
        using RawClient client = await server.ConnectAsync();

        // A file whose permanence is unknown is not kept without asking.
        RawResponse response = await client.GetAsync("/bad.txt");
        Assert.Equal(("bad", "no-cache"), (response.Text, response.Headers["Cache-Control"]));

        // A file whose type is unknown is not served, and neither is one whose type cannot be sent.
        Assert.Equal(404, (await client.GetAsync("/bad.css")).Status);
        await AssertWatchLivesAsync(client);
        Assert.Equal(1, SkippedLines(server, "IsImmutable"));
        Assert.Equal(1, SkippedLines(server, "bad.css"));
    }

    [Fact]
    public async Task WhatIsNoFileIsSkippedAndNotOpened()
    {
        Special.MakeFifo(_folder["fifo.txt"]);
        Special.MakeSocket(_folder["socket.txt"]);
        Special.TryMakeNullDevice(_folder["device.txt"]);
        await using FileServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        foreach (string name in new[] { "fifo.txt", "socket.txt", "device.txt" })
        {
            Assert.Equal(404, (await client.GetAsync("/" + name)).Status);
        }

        Assert.Equal(1, SkippedLines(server, "fifo.txt"));
        await AssertWatchLivesAsync(client);
    }

    /// <summary>Between the look at a name and the opening of its file, another may have taken its place.</summary>
    [Fact]
    public void WhatIsNoRegularFileIsNotOpenedAsOne()
    {
        Special.MakeFifo(_folder["fifo.txt"]);
        Directory.CreateDirectory(_folder["folder"]);
        using FileRoot root = FileRoot.Open(_folder.Path, SymbolicLinks.Refuse);
        foreach (string name in new[] { "fifo.txt", "folder" })
        {
            Assert.Null(root.TryOpenFile(name, out _, out int errno));
            Assert.Equal(0, errno);
        }

        using SafeFileHandle? file = root.TryOpenFile("a.txt", out _, out _);
        Assert.NotNull(file);
    }

    [Fact]
    public async Task LinksInCirclesEndAndAFolderIsServedUnderEachOfItsNames()
    {
        _folder.With("r2/b.txt", "b");
        Directory.CreateSymbolicLink(_folder["current"], "r2");
        Directory.CreateSymbolicLink(_folder["r2/up"], "..");
        Directory.CreateSymbolicLink(_folder["self"], "self");
        Directory.CreateSymbolicLink(_folder["dangling.txt"], "nothing");
        await using FileServer server = await StartAsync(static options => options.SymbolicLinks = SymbolicLinks.FollowInside);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("b", (await client.GetAsync("/r2/b.txt")).Text);
        Assert.Equal("b", (await client.GetAsync("/current/b.txt")).Text);
        Assert.Equal(404, (await client.GetAsync("/dangling.txt")).Status);
        await AssertWatchLivesAsync(client);
    }

    [Fact]
    public async Task FoldersThatLeadToEachOtherInManyWaysAreBounded()
    {
        // 2 to the 20 paths lead to the innermost folder.
        for (int depth = 0; depth < 20; depth++)
        {
            Directory.CreateDirectory(_folder[$"d{depth}"]);
            Directory.CreateSymbolicLink(_folder[$"d{depth}/x"], $"../d{depth + 1}");
            Directory.CreateSymbolicLink(_folder[$"d{depth}/y"], $"../d{depth + 1}");
        }

        _folder.With("d20/end.txt", "end");
        await using FileServer server = await StartAsync(static options => options.SymbolicLinks = SymbolicLinks.FollowInside);
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("end", (await client.GetAsync("/d20/end.txt")).Text);
        Assert.Equal(1, SkippedLines(server, "symbolic links"));
    }

    [Fact]
    public async Task AFileThatNeverHoldsStillKeepsItsLastWholeVersion()
    {
        _folder.With("moving.txt", "first");
        await using FileServer server = await StartAsync();
        using RawClient client = await server.ConnectAsync();
        Assert.Equal("first", (await client.GetAsync("/moving.txt")).Text);
        using var stop = new CancellationTokenSource();
        var writer = Task.Run(async () =>
        {
            await using FileStream file = File.Open(_folder["moving.txt"], FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            while (!stop.IsCancellationRequested)
            {
                file.Position = 0;
                file.Write(new byte[100]);
                file.Flush();
            }
        });
        for (int round = 0; round < 20; round++)
        {
            await server.Files.ReloadAsync();
            Assert.Equal(200, (await client.GetAsync("/moving.txt")).Status);
        }

        await stop.CancelAsync();
        await writer;
        await AssertWatchLivesAsync(client);
    }

    private static int SkippedLines(FileServer server, string what)
        => server.Logs.Count(line => line.Category == "Ioxide.Files" && line.Message.Contains(what, StringComparison.Ordinal));

    /// <summary>An ordinary change is seen without a call.</summary>
    private async Task AssertWatchLivesAsync(RawClient client)
    {
        string content = Guid.NewGuid().ToString();
        _folder.Replace("a.txt", Encoding.UTF8.GetBytes(content));
        await ReleaseTests.ServedAsync(client, "/a.txt", content);
    }

    private Task<FileServer> StartAsync(Action<IoxideFilesOptions>? configure = null)
        => FileServer.StartAsync(Way.ShortCircuit, _folder, options =>
        {
            options.WatchForChanges = true;
            options.ReloadDelay = 10.Milliseconds();
            configure?.Invoke(options);
        });

    private sealed class ThrowingTypes : Microsoft.AspNetCore.StaticFiles.IContentTypeProvider
    {
        public bool TryGetContentType(string subpath, [System.Diagnostics.CodeAnalysis.MaybeNullWhen(false)] out string contentType)
        {
            contentType = "text/plain";
            return subpath.EndsWith(".css", StringComparison.Ordinal) ? throw new InvalidOperationException("of the provider") : true;
        }
    }
}

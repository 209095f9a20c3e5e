using System.IO.Compression;
using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>
/// Deployments that meet a full disk leave files that are cut off, empty or of yesterday. What lies there is served, as stock Kestrel serves
/// it, and the host goes on. The disk is a small tmpfs that only the hosts have.
/// </summary>
/// <remarks>A coded sibling that was cut off is sent as it is, as by nginx: nobody but a decoder can tell. docs/files.md says so.</remarks>
public sealed class FullDiskTests : IDisposable
{
    private const int DiskBytes = 512 * 1024;
    private const int Batches = 12;

    private static readonly string[] s_names = ["a.txt", "app.js", "page.html", "x/a.css"];
    private static readonly string[] s_served = [.. s_names, .. s_names.Select(SiblingOf)];

    private readonly TestFolder _outer = new TestFolder().With("seed/site/a.txt", "a of yesterday").With("seed/site/app.js", Text(20_000))
        .With("seed/site/x/a.css", "a");

    private readonly HashSet<string> _cutSiblings = [];

    private DateTime _time = TestFolder.Modified;

    public FullDiskTests() => Directory.CreateDirectory(_outer["disk"]);

    public static TheoryData<ulong> Seeds => [.. Enumerable.Range(1, Math.Max(2, Scale.Of(6))).Select(static seed => (ulong)seed)];

    public void Dispose() => _outer.Dispose();

    [Theory, Each(1_000_000, 0)]
    public async Task AFileThatGrowsIsServedAsFarAsItWasWritten(int memoryBudget)
    {
        await using HostPair hosts = await StartAsync(memoryBudget);
        string site = hosts.PathOf(_outer["disk/site"]);
        Fill(hosts);
        Assert.False(TryWrite($"{site}/a.txt", FileMode.Append, Text(100_000)));
        Assert.False(TryWrite($"{site}/app.js", FileMode.Create, Text(100_000)));
        foreach (string name in s_names)
        {
            await hosts.SameAsync($"/{name}");
        }

        // Room for the rest.
        File.Delete(hosts.PathOf(_outer["disk/filler"]));
        Assert.True(TryWrite($"{site}/app.js", FileMode.Create, Text(100_000)));
        await hosts.OursAsync("/app.js", static answer => answer.Body.AsSpan().SequenceEqual(Text(100_000)), "the whole file");
        await AssertInOrderAsync(hosts);
    }

    [Fact]
    public async Task AFileWhoseNextVersionDoesNotFitStays()
    {
        await using HostPair hosts = await StartAsync();
        string site = hosts.PathOf(_outer["disk/site"]);
        Fill(hosts);
        Assert.False(TryWrite($"{site}/a.txt.tmp", FileMode.Create, Text(100_000)));

        // What comes later is served, so that what is here was looked at.
        File.Move($"{site}/x/a.css", $"{site}/x/b.css");
        await hosts.SameAsync("/x/b.css");
        Assert.Equal("a of yesterday", (await hosts.OursAsync("/a.txt")).Text);
        Assert.Equal(404, (await hosts.OursAsync("/a.txt.tmp")).Status);

        // A script that does not look at errors renames it anyway.
        File.Move($"{site}/a.txt.tmp", $"{site}/a.txt", overwrite: true);
        await hosts.SameAsync("/a.txt");
        await AssertInOrderAsync(hosts);
    }

    [Theory, MemberData(nameof(Seeds))]
    public async Task WhatIsLeftIsServedAsStaticFilesServeIt(ulong seed)
    {
        var dice = new FaultDice(seed);
        await using HostPair hosts = await StartAsync(dice.Hits(300) ? 0 : 1_000_000);
        string site = hosts.PathOf(_outer["disk/site"]);
        int cut = 0;
        int coded = 0;
        for (int batch = 0; batch < Batches; batch++)
        {
            if (dice.Hits(300))
            {
                File.Delete(hosts.PathOf(_outer["disk/filler"]));
            }
            else
            {
                Fill(hosts, dice.Below(3) * 8 * 1024);
            }

            for (int count = 1 + dice.Below(4); count > 0; count--)
            {
                cut += Change(dice, site) ? 0 : 1;
            }

            foreach (string name in s_served)
            {
                await hosts.SameAsync($"/{name}");
            }

            foreach (string name in s_names)
            {
                coded += await AssertDecodedAsync(hosts, site, name) ? 1 : 0;
            }
        }

        Assert.NotEqual(0, cut);
        Assert.NotEqual(0, coded);
        await AssertInOrderAsync(hosts);
    }

    private async Task<HostPair> StartAsync(int memoryBudget = 1_000_000)
        => await HostPair.StartApartAsync(
            $"mount -t tmpfs -o size={DiskBytes},mode=755 tmpfs {_outer["disk"]}\ncp -a {_outer["seed"]}/. {_outer["disk"]}",
            _outer["disk/site"], "--memory-budget", $"{memoryBudget}");

    /// <summary>A client that takes codings has the same bytes as one that does not, or those of a sibling that was cut off.</summary>
    /// <returns>Whether a sibling was sent.</returns>
    private async Task<bool> AssertDecodedAsync(HostPair hosts, string site, string name)
    {
        string sibling = SiblingOf(name);
        RawResponse stock = await hosts.StockAsync($"/{name}");
        byte[] content = File.Exists($"{site}/{sibling}") ? File.ReadAllBytes($"{site}/{sibling}") : [];
        RawResponse ours = await Waits.Until(
            () => hosts.OursAsync($"/{name}", "Accept-Encoding: gzip, br\r\n"),
            answer => answer.Status == stock.Status && IsRight(answer),
            60.Seconds(), $"{name} is as stock serves it, or its sibling");
        return ours.Headers.ContainsKey("Content-Encoding");

        bool IsRight(RawResponse answer) => answer.Headers.GetValueOrDefault("Content-Encoding") is not { } coding
            ? answer.Body.AsSpan().SequenceEqual(stock.Body)
            : answer.Body.AsSpan().SequenceEqual(content)
                && (_cutSiblings.Contains(sibling) || Decoded(coding, content).AsSpan().SequenceEqual(stock.Body));
    }

    private static byte[] Decoded(string coding, byte[] content)
    {
        var body = new MemoryStream(content);
        using Stream decoder = coding == "gzip"
            ? new GZipStream(body, CompressionMode.Decompress) : new BrotliStream(body, CompressionMode.Decompress);
        using var decoded = new MemoryStream();
        decoder.CopyTo(decoded);
        return decoded.ToArray();
    }

    private static string SiblingOf(string name) => name + (name == "a.txt" ? ".br" : ".gz");

    private static async Task AssertInOrderAsync(HostPair hosts)
    {
        Assert.Equal(0, hosts.LinesWith("could not be read again"));
        await hosts.StopAsync();
    }

    /// <summary>Changes something as a deployment does.</summary>
    /// <returns>Whether it went well; nobody looks at it.</returns>
    private bool Change(FaultDice dice, string site)
    {
        string name = s_names[dice.Below(s_names.Length)];
        string path = $"{site}/{name}";
        byte[] content = Text(dice.Below(dice.Hits(500) ? 60_000 : 3_000));
        switch (dice.Below(7))
        {
            case 0:
                return TryWrite(path, FileMode.Create, content);
            case 1:
                return TryWrite(path, FileMode.Append, content);
            case 2:
                bool isWhole = TryWrite($"{path}.tmp", FileMode.Create, content);
                if (File.Exists($"{path}.tmp"))
                {
                    File.Move($"{path}.tmp", path, overwrite: true);
                }

                return isWhole;
            case 3:
                File.Delete(path);
                return true;
            case >= 4 when !File.Exists(path):
                return true;
            default:
                bool isWholeSibling = TryWrite($"{site}/{SiblingOf(name)}", FileMode.Create, Coded(name, File.ReadAllBytes(path)));
                _ = isWholeSibling ? _cutSiblings.Remove(SiblingOf(name)) : _cutSiblings.Add(SiblingOf(name));
                return isWholeSibling;
        }
    }

    private static byte[] Coded(string name, byte[] content)
    {
        using var coded = new MemoryStream();
        using (Stream coder = name == "a.txt"
            ? new BrotliStream(coded, CompressionLevel.Fastest) : new GZipStream(coded, CompressionLevel.Fastest))
        {
            coder.Write(content);
        }

        return coded.ToArray();
    }

    private void Fill(HostPair hosts, int leftBytes = 0)
    {
        string filler = hosts.PathOf(_outer["disk/filler"]);
        _ = TryWrite(filler, FileMode.Create, new byte[DiskBytes]);
        using FileStream file = File.OpenWrite(filler);
        file.SetLength(Math.Max(0, file.Length - leftBytes));
    }

    /// <summary>Writes as far as there is room. Each writing is a second later than the one before, whatever the clock's ticks are.</summary>
    /// <returns>Whether there was room for all.</returns>
    private bool TryWrite(string path, FileMode mode, byte[] content)
    {
        const int NoSpace = 28;
        bool isWhole = true;
        try
        {
            using FileStream file = new(path, mode, FileAccess.Write, FileShare.Read, bufferSize: 0);
            file.Write(content);
        }
        catch (IOException exception) when (exception.HResult == NoSpace)
        {
            isWhole = false;
        }

        if (File.Exists(path))
        {
            File.SetLastWriteTimeUtc(path, _time = _time.AddSeconds(1));
        }

        return isWhole;
    }

    private static byte[] Text(int lengthBytes)
    {
        const int LineBytes = 8;
        IEnumerable<string> lines = Enumerable.Range(0, (lengthBytes / LineBytes) + 1).Select(static index => $"{index * 7919 % 10007:D7}\n");
        return Encoding.ASCII.GetBytes(string.Concat(lines))[..lengthBytes];
    }
}

using System.IO.Compression;
using System.Net;
using System.Security.Cryptography;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;

namespace Ioxide.Files.Tests;

/// <summary>
/// An ordinary Razor application keeps working where a folder is mapped beside <c>MapStaticAssets</c>, or in place of <c>UseStaticFiles</c>:
/// its page, its fingerprinted names, its import map and <c>asp-append-version</c>. The same application without the folder is the oracle.
/// </summary>
[Once]
public sealed partial class StaticAssetsTests : IDisposable
{
    private const string Program = "Ioxide.RazorHost";

    private static readonly string s_published
        = Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "../..", Program, new DirectoryInfo(AppContext.BaseDirectory).Name, "published"));

    private static readonly string[] s_codings = ["", "Accept-Encoding: gzip\r\n", "Accept-Encoding: br, gzip\r\n"];

    private readonly TestFolder _folder = new();

    public StaticAssetsTests()
    {
        string root = Path.Join(s_published, "wwwroot");
        foreach (string file in Directory.EnumerateFiles(root, "*", SearchOption.AllDirectories))
        {
            _folder.With($"wwwroot/{Path.GetRelativePath(root, file)}", File.ReadAllBytes(file), File.GetLastWriteTimeUtc(file));
        }

        _folder.With("wwwroot/uploads/later.svg", "<svg/>");
    }

    private static string Manifest => Path.Join(s_published, $"{Program}.staticwebassets.endpoints.json");

    public void Dispose() => _folder.Dispose();

    /// <summary>Assets have the order -100, so that they answer first, and the folder answers what the build did not know.</summary>
    [Theory, AllValues]
    public async Task BesideAssetsTheFolderAnswersWhatTheBuildDidNotKnow(bool isReloaded)
    {
        (string, string?) reload = ("ReloadStaticAssetsAtRuntime", isReloaded ? "true" : "false");
        await using HostProcess ours = Start(["--assets", Manifest, "--files"], reload);
        await using HostProcess theirs = Start(["--assets", Manifest], reload);
        using RawClient our = await ConnectAsync(ours);
        using RawClient their = await ConnectAsync(theirs);
        string[] targets = [.. Routes(), .. Linked((await their.GetAsync("/")).Text), "/", "/JS/APP.JS", "/js", "/missing.txt", "/js/app.00000.js"];
        Assert.Contains(targets, static target => Fingerprinted().IsMatch(target));
        foreach (string target in targets.Where(static target => !target.StartsWith("/uploads/", StringComparison.Ordinal)))
        {
            foreach (string headers in s_codings.Append("Accept-Encoding: identity;q=0, br\r\n"))
            {
                await AssertSameAsync(our, their, "GET", target, headers);
            }

            string tag = (await their.GetAsync(target)).Headers.GetValueOrDefault("ETag") ?? "\"none\"";
            await AssertSameAsync(our, their, "GET", target, $"If-None-Match: {tag}\r\n");
            await AssertSameAsync(our, their, "GET", target, "Range: bytes=3-7\r\n");
            await AssertSameAsync(our, their, "HEAD", target, "");
            await AssertSameAsync(our, their, "POST", target, "Content-Length: 0\r\n");
        }

        // What came later than the build has its version in the query.
        string later = Assert.Single(targets, static target => target.StartsWith("/uploads/later.svg?v=", StringComparison.Ordinal));
        RawResponse answer = await our.GetAsync(later);
        Assert.Equal((200, "<svg/>"), (answer.Status, answer.Text));
        Assert.Equal(isReloaded ? 200 : 404, (await their.GetAsync(later)).Status);
        _folder.With("wwwroot/uploads/last.svg", "<svg id='last'/>");
        await Waits.Until(() => our.GetAsync("/uploads/last.svg"), static answer => answer.Text == "<svg id='last'/>", 60.Seconds());
        await StopAsync(ours, theirs);
    }

    /// <summary>With a lower order the folder answers its own names. The fingerprinted ones are none of its names, and stay what they are.</summary>
    [Fact]
    public async Task WithALowerOrderTheFolderAnswersItsNamesAndFingerprintedOnesStay()
    {
        await using HostProcess ours = Start(["--assets", Manifest, "--files", "--order", "-101"]);
        await using HostProcess theirs = Start(["--assets", Manifest]);
        using RawClient our = await ConnectAsync(ours);
        using RawClient their = await ConnectAsync(theirs);
        string page = await AssertPageAsync(our, their);
        Assert.Contains("\"./js/lib.js\": \"./js/lib.", page, StringComparison.Ordinal);
        foreach (string route in Routes())
        {
            foreach (string headers in s_codings)
            {
                RawResponse answer = await our.GetAsync(route, headers);
                RawResponse asset = await their.GetAsync(route, headers);
                if (Fingerprinted().IsMatch(route))
                {
                    Assert.Equal(Describe(asset), Describe(answer));
                    Assert.Contains("immutable", answer.Headers["Cache-Control"], StringComparison.Ordinal);
                }
                else if (!route.EndsWith(".br", StringComparison.Ordinal) && !route.EndsWith(".gz", StringComparison.Ordinal))
                {
                    Assert.Equal((asset.Status, asset.Headers["Content-Type"]), (answer.Status, answer.Headers["Content-Type"]));
                    Payload.AssertSame(Decoded(asset), Decoded(answer));

                    // It is the folder that answers: the tags are its own.
                    Assert.NotEqual(asset.Headers["ETag"], answer.Headers["ETag"]);
                }
            }
        }

        await StopAsync(ours, theirs);
    }

    [Fact]
    public async Task InPlaceOfStaticFilesVersionsInTheQueryAreServed()
    {
        await using HostProcess ours = Start(["--alone"]);
        await using HostProcess theirs = Start([]);
        using RawClient our = await ConnectAsync(ours);
        using RawClient their = await ConnectAsync(theirs);
        string page = await AssertPageAsync(our, their);
        Assert.Contains("/site.css?v=", page, StringComparison.Ordinal);

        // A file that changes has another version, and both serve it.
        string before = Linked(page).First(static target => target.StartsWith("/site.css?v=", StringComparison.Ordinal));
        _folder.Replace("wwwroot/site.css", "body { color: red; }"u8.ToArray());
        await Waits.Until(() => our.GetAsync("/site.css"), static answer => answer.Text == "body { color: red; }", 60.Seconds());
        page = (await Waits.Until(() => our.GetAsync("/"), answer => !answer.Text.Contains(before, StringComparison.Ordinal), 60.Seconds())).Text;
        await Waits.Until(() => their.GetAsync("/"), answer => answer.Text == page, 60.Seconds());
        await AssertPageAsync(our, their);
        await StopAsync(ours, theirs);
    }

    /// <summary>The page is the same, and so is the content of whatever it links to; where the page says its hash, it is that.</summary>
    private static async Task<string> AssertPageAsync(RawClient our, RawClient their)
    {
        string page = (await our.GetAsync("/")).Text;
        Assert.Equal((await their.GetAsync("/")).Text, page);
        string[] targets = [.. Linked(page)];
        Assert.True(targets.Length > 4, page);
        foreach (string target in targets)
        {
            foreach (string headers in s_codings)
            {
                RawResponse answer = await our.GetAsync(target, headers);
                RawResponse expected = await their.GetAsync(target, headers);
                Assert.Equal((target, 200), (target, answer.Status));
                if (expected.Status == 200)
                {
                    Payload.AssertSame(Decoded(expected), Decoded(answer));
                }
            }
        }

        foreach (Match integrity in Integrity().Matches(page))
        {
            byte[] body = Decoded(await our.GetAsync($"/{integrity.Groups[1].Value}", s_codings[^1]));
            Assert.Equal(integrity.Groups[2].Value, Convert.ToBase64String(SHA256.HashData(body)));
        }

        return page;
    }

    private static async Task AssertSameAsync(RawClient our, RawClient their, string method, string target, string headers)
    {
        string text = RawClient.Request($"{method} {target}", headers);
        string expected = Describe(await their.AskAsync(text));
        string actual = Describe(await our.AskAsync(text));
        Assert.True(expected == actual, $"{text}theirs:\n{expected}\n\nours:\n{actual}");
    }

    private static string Describe(RawResponse response)
        => $"{response.Status} {Convert.ToHexString(SHA256.HashData(response.Body))}\n"
            + string.Join('\n', response.Headers.Where(static field => field.Key != "Date").Select(static field => $"{field}").Order());

    private static byte[] Decoded(RawResponse response)
    {
        using Stream body = response.Headers.GetValueOrDefault("Content-Encoding") switch
        {
            "gzip" => new GZipStream(new MemoryStream(response.Body), CompressionMode.Decompress),
            "br" => new BrotliStream(new MemoryStream(response.Body), CompressionMode.Decompress),
            _ => new MemoryStream(response.Body),
        };
        using var decoded = new MemoryStream();
        body.CopyTo(decoded);
        return decoded.ToArray();
    }

    private static IEnumerable<string> Routes()
        => JsonNode.Parse(File.ReadAllText(Manifest))!["Endpoints"]!.AsArray().Select(static endpoint => $"/{endpoint!["Route"]}").Distinct();

    private static IEnumerable<string> Linked(string page)
        => Link().Matches(page).Select(static link => link.Groups[1].Value)
            .Concat(Import().Matches(page).Select(static link => $"/{link.Groups[1].Value}"))
            .Select(static link => WebUtility.HtmlDecode(link)).Distinct();

    private HostProcess Start(string[] arguments, params (string Name, string? Value)[] variables)
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        return HostProcess.Start(Program, ["--site", _folder.Path, .. arguments], endsWithInput: true, variables: variables);
    }

    private static async Task<RawClient> ConnectAsync(HostProcess host)
        => await RawClient.ConnectAsync(new IPEndPoint(IPAddress.Loopback, (await host.ListeningAsync()).Port));

    private static async Task StopAsync(HostProcess ours, HostProcess theirs)
    {
        Assert.Equal((0, 0), (await ours.StopAsync(), await theirs.StopAsync()));
        Assert.DoesNotContain(
            ours.Lines,
            static line => line.StartsWith("fail:", StringComparison.Ordinal) || line.StartsWith("crit:", StringComparison.Ordinal));
    }

    [GeneratedRegex("(?:src|href)=\"(/[^\"]+)\"")]
    private static partial Regex Link();

    [GeneratedRegex("\": \"\\./([^\"]+)\"")]
    private static partial Regex Import();

    [GeneratedRegex("\"\\./([^\"]+)\": \"sha256-([^\"]+)\"")]
    private static partial Regex Integrity();

    [GeneratedRegex("\\.[a-z0-9]{10}\\.")]
    private static partial Regex Fingerprinted();
}

using System.Globalization;
using System.Text.Json;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// An application that is started with <c>--ioxide-check</c> prints what its host offers, and what to do about the rest, and serves nothing.
/// Its exit status says whether anything is missing. The application runs as a process of its own, and seccomp filters and limits take from it
/// what a host may lack.
/// </summary>
[Once]
public class HostCheckTests
{
    [Fact]
    public async Task AnApplicationWithEverythingIsReportedLineByLine()
    {
        SkipWithoutRings();
        (int status, string text) = await RunAsync([], [], "--everything", "--ioxide-check");

        Assert.Equal(0, status);
        Assert.DoesNotContain("listening", text, StringComparison.Ordinal);
        foreach (string name in new[]
        {
            "kernel", "io_uring", "seccomp", "locked memory", "open files", "processors", "reactors", "listeners", "large files", "OpenSSL",
            "kernel TLS", "files",
        })
        {
            Assert.Matches($@"(?m)^(ok|limited) +{name}  ", text);
        }

        Assert.Contains($"Linux {HostFacts.Read().Release}", text, StringComparison.Ordinal);
        Assert.Matches(@"(?m)^\d+ ok, \d+ limited, 0 missing$", text);
    }

    [Fact]
    public async Task AsJsonEachLineHasItsState()
    {
        SkipWithoutRings();
        (int status, JsonElement report) = await RunJsonAsync([], []);

        Assert.Equal(0, status);
        Assert.True(report.GetProperty("good").GetBoolean());
        Assert.Equal("1, ReactorCount", Line(report, "reactors").GetProperty("found").GetString());
        Assert.Equal(JsonValueKind.Null, Line(report, "kernel").GetProperty("remedy").ValueKind);
    }

    [Theory]
    [InlineData("io_uring_setup", "1", "limited", "reactors run on epoll")]
    [InlineData("io_uring_setup", "38", "limited", "reactors run on epoll")]
    [InlineData("eventfd2", "1", "missing", "the sockets transport serves")]
    [InlineData("eventfd2", "1", "missing", "Kernel is Epoll", "--kernel", "Epoll")]
    [InlineData("io_uring_setup", "1", "missing", "Kernel is IoUring", "--kernel", "IoUring")]
    [InlineData("io_uring_setup", "1", "missing", "RequireIoUring", "--require")]
    public async Task WhereACallIsRefusedTheCostAndTheRemedyAreNamed(string call, string errno, string state, string cost, params string[] arguments)
    {
        const string Remedy = "seccomp profile";
        (int status, JsonElement report) = await RunJsonAsync([], [], ["--refuse", call, "--errno", errno, .. arguments]);

        Assert.Equal(state == "missing" ? 1 : 0, status);
        JsonElement line = Line(report, "io_uring", state);
        Assert.Contains($"{call} failed with E", line.GetProperty("found").GetString(), StringComparison.Ordinal);
        Assert.Contains(Remedy, line.GetProperty("remedy").GetString(), StringComparison.Ordinal);
        Assert.Contains(cost, line.GetProperty("cost").GetString(), StringComparison.Ordinal);
        Line(report, "seccomp", state);
    }

    [Theory]
    [InlineData("vmsplice", "large files")]
    [InlineData("setsockopt:reuseport", "listeners", "--reactors", "2")]
    [InlineData("openat2", "files", "--everything")]
    [InlineData("setsockopt:ulp", "kernel TLS", "--everything")]
    public async Task AFeatureThatIsRefusedAloneIsLimitedAndNothingIsMissing(string call, string name, params string[] arguments)
    {
        SkipWithoutRings();
        (int status, JsonElement report) = await RunJsonAsync([], [], ["--refuse", call, .. arguments]);

        Assert.Equal(0, status);
        JsonElement line = Line(report, name, "limited");
        Assert.Contains(call == "setsockopt:ulp" ? "EPERM" : $"{call.Split(':')[0]}", line.GetProperty("found").GetString(), StringComparison.Ordinal);
        Assert.NotEmpty(line.GetProperty("cost").GetString()!);
        Assert.NotEmpty(line.GetProperty("remedy").GetString()!);
    }

    /// <summary>What the .NET runtime takes itself depends on the machine, so limits are counted from there.</summary>
    [Theory, Each(40, 300)]
    public async Task ASmallLimitOfOpenFilesIsNamedWithTheReactorsThatFit(int spare)
    {
        SkipWithoutRings();
        Assert.SkipUnless(File.Exists("/usr/bin/prlimit"), "prlimit (util-linux) is not installed.");
        (_, JsonElement unlimited) = await RunJsonAsync([], []);
        string[] words = Line(unlimited, "open files").GetProperty("found").GetString()!.Split(' ');
        string limit = (int.Parse(words[3], CultureInfo.InvariantCulture) + spare).ToString(CultureInfo.InvariantCulture);
        (int status, JsonElement report) = await RunJsonAsync(["prlimit", $"--nofile={limit}:{limit}"], [], ["--reactors", "64"]);

        Assert.Equal(0, status);
        JsonElement line = Line(report, "open files", "limited");
        Assert.StartsWith($"{limit}, of which ", line.GetProperty("found").GetString(), StringComparison.Ordinal);
        Assert.EndsWith("of 64 reactors", line.GetProperty("cost").GetString(), StringComparison.Ordinal);
        Assert.Contains("ulimit -n", line.GetProperty("remedy").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AFolderThatIsNotThereIsMissing()
    {
        (int status, JsonElement report) = await RunJsonAsync([], [], ["--folder", "/nowhere/site"]);

        Assert.Equal(1, status);
        Assert.Contains("/nowhere/site", Line(report, "files", "missing").GetProperty("found").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task AnOptionThatIsInvalidIsMissingAndNamed()
    {
        (int status, JsonElement report) = await RunJsonAsync([], [("Ioxide__SqEntries", "7")]);

        Assert.Equal(1, status);
        Assert.Contains("SqEntries", Line(report, "options", "missing").GetProperty("found").GetString(), StringComparison.Ordinal);
    }

    [Theory, Each("--ioxide-check=xml", "--ioxide-chek")]
    public async Task AnArgumentThatTheCheckDoesNotKnowIsRefused(string argument)
    {
        (int status, string text) = await RunAsync([], [], argument);

        Assert.Equal(2, status);
        Assert.Equal($"{argument}: unknown argument. The check takes --ioxide-check, --ioxide-check=text and --ioxide-check=json.", text);
    }

    private static void SkipWithoutRings()
        => Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");

    private static JsonElement Line(JsonElement report, string name, string state = "ok")
    {
        JsonElement line = Assert.Single(report.GetProperty("lines").EnumerateArray(), line => line.GetProperty("name").GetString() == name);
        Assert.True(line.GetProperty("state").GetString() == state, report.ToString());
        return line;
    }

    private static async Task<(int Status, JsonElement Report)> RunJsonAsync(string[] under, (string, string?)[] variables, params string[] arguments)
    {
        (int status, string text) = await RunAsync(under, variables, [.. arguments, "--ioxide-check=json"]);
        return (status, JsonDocument.Parse(text).RootElement);
    }

    private static async Task<(int Status, string Text)> RunAsync(string[] under, (string, string?)[] variables, params string[] arguments)
    {
        await using HostProcess host = HostProcess.Start("Ioxide.BlockedHost", arguments, under, endsWithInput: true, [(TestKernel.OfChildren, null), .. variables]);
        int status = await host.ExitAsync();
        return (status, host.Output);
    }
}

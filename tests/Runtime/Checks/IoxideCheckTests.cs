namespace Ioxide.Tests;

/// <summary>A raw server checks its host too, before it starts its reactors. <c>samples/Echo</c> runs as a process of its own.</summary>
[Once]
public class IoxideCheckTests
{
    [Fact]
    public async Task ARawServerReportsItsReactorsAndServesNothing()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        await using HostProcess host = HostProcess.Start("Echo", ["--reactors", "2", "--ioxide-check"]);

        Assert.Equal(0, await host.ExitAsync());
        Assert.Contains(host.Lines, static line => line.StartsWith("ok       reactors       2, ReactorCount", StringComparison.Ordinal));
        Assert.DoesNotContain(host.Lines, static line => line.StartsWith("ready", StringComparison.Ordinal));
    }

    [Fact]
    public async Task AProgramWithChecksOfItsOwnPrintsThemAndWhatTheyThrow()
    {
        using var output = new StringWriter();
        Assert.Null(await AnswerAsync(["--port", "0"], output));
        Assert.Equal("", output.ToString());
        Assert.Equal(1, await AnswerAsync(["--ioxide-check=text"], output));

        string[] lines = output.ToString().Split('\n', StringSplitOptions.TrimEntries);
        Assert.Contains("limited  licence        ends tomorrow. The program stops. Renew it.", lines);
        Assert.Contains("missing  Broken         InvalidOperationException: it broke. The program does not start.", lines);
    }

    [Theory]
    [InlineData("5.14.0-427.el9", true, CheckState.Limited)]
    [InlineData("5.14.0-427.el9", false, CheckState.Ok)]
    [InlineData("6.18.44", true, CheckState.Ok)]
    public void AnOldKernelIsNamedOnlyWhereItRefusesRings(string release, bool isRefused, CheckState expected)
        => Assert.Equal(
            (expected, $"Linux {release}"),
            RuntimeCheck.DescribeKernel(HostFacts.Read() with { Release = release }, isRefused, CheckState.Limited, "cost") is var line
                ? (line.State, line.Found) : default);

    [Fact]
    public async Task WhatOnlyRingsPollIsNoMatterOfANewerKernelOnEpoll()
    {
        var check = new RuntimeCheck(
            new ReactorOptions { ReactorCount = 1, Kernel = KernelChoice.Epoll, BusyPollMicroseconds = 50 }, "it does not start");
        ReactorGroup? group = await check.RunAsync();
        await group!.DisposeAsync();

        CheckLine line = Assert.Single(check.Lines, static line => line.Name == "busy poll");
        Assert.Equal((CheckState.Missing, "Set BusyPollMicroseconds to 0: only rings can poll it."), (line.State, line.Remedy));
    }

    [Theory]
    [InlineData("--ioxide-chek")]
    [InlineData("--ioxide-check=xml")]
    [InlineData("--ioxide-check=")]
    [InlineData("--Ioxide-check")]
    public async Task AnArgumentThatTheCheckDoesNotKnowIsRefused(string unknown)
    {
        using var output = new StringWriter();

        Assert.Equal(2, await AnswerAsync([unknown, "--ioxide-check"], output));

        Assert.Equal(
            $"{unknown}: unknown argument. The check takes --ioxide-check, --ioxide-check=text and --ioxide-check=json.",
            output.ToString().TrimEnd());
    }

    private static Task<int?> AnswerAsync(string[] args, StringWriter output) => IoxideCheck.AnswerAsync(args, new Program(), output, output);

    private sealed class Program : ICheckedProgram
    {
        public string? FindWrongArgument(string[] args) => null;

        public void Prepare(string[] args)
        {
        }

        public RuntimeCheck MakeRuntimeCheck() => new(new ReactorOptions { ReactorCount = 1 }, "it does not start");

        public IReadOnlyList<IHostCheck> FindChecks() => [new Licence(), new Broken()];
    }

    private sealed class Licence : IHostCheck
    {
        public Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken)
            => Task.FromResult<IReadOnlyList<CheckLine>>(
                [new CheckLine("licence", CheckState.Limited, "ends tomorrow") { Cost = "the program stops", Remedy = "Renew it." }]);
    }

    private sealed class Broken : IHostCheck
    {
        public Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken)
            => throw new InvalidOperationException("it broke.");
    }
}

namespace Ioxide.Docs.Tests;

/// <summary>Every sample says what it takes, and refuses the rest with one line and status 2.</summary>
public class CommandLineTests
{
    private const string NoConnectionString
        = "is no connection string, which begins with postgresql:// or holds keywords, as in Host=localhost. --help lists what there is.";

    public static TheoryData<string> Samples => Sample.Names;

    [Theory, MemberData(nameof(Samples))]
    public async Task HelpListsTheOptions(string sample)
    {
        await using HostProcess process = HostProcess.Start(Sample.ProgramOf(sample), ["--help"]);
        Assert.Equal(0, await process.ExitAsync());
        Assert.StartsWith($"usage: dotnet run -c Release --project samples/{sample} -- [options]", process.Lines[0], StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(Samples))]
    public Task AnUnknownOptionIsRefused(string sample)
        => RefusesAsync(Sample.ProgramOf(sample), ["--nonsense", "3"], $"{Sample.ProgramOf(sample)}: there is no option --nonsense. --help lists what there is.");

    [Theory]
    [InlineData("Echo", "--port")]
    [InlineData("Redis", "--idle-ms")]
    [InlineData("Https", "--port")]
    public Task AnOptionWithoutItsValueIsRefused(string sample, string option)
        => RefusesAsync(sample, [option], $"{sample}: {option} needs a value. --help lists what there is.");

    [Theory]
    [InlineData("Echo", "--port", "http", "a number from 0 to 65535")]
    [InlineData("Echo", "--reactors", "65", "a number from 0 to 64")]
    [InlineData("Redis", "--port", "-1", "a number from 0 to 65535")]
    [InlineData("Https", "--port", "65536", "a number from 0 to 65535")]
    [InlineData("Https", "--offload", "Sometimes", "Auto, Never, Require")]
    [InlineData("Gateway", "--to", "hello:5000", "an address such as http://localhost:5000")]
    [InlineData("Outbound", "--of", "5000", "an address such as http://localhost:5000")]
    public Task AWrongValueIsRefused(string sample, string option, string value, string expected)
        => RefusesAsync(sample, [option, value], $"{sample}: {option} takes {expected}, not '{value}'. --help lists what there is.");

    [Theory]
    [InlineData("Hello", "foo", "Hello: 'foo' is no option. --help lists what there is.")]
    [InlineData("Database", "foo", $"Database: 'foo' {NoConnectionString}")]
    [InlineData("DapperSample", "foo", $"DapperSample: 'foo' {NoConnectionString}")]
    public Task AWordThatIsNoOptionIsRefused(string sample, string word, string expected) => RefusesAsync(sample, [word], expected);

    private static async Task RefusesAsync(string sample, string[] arguments, string expected)
    {
        await using HostProcess process = HostProcess.Start(sample, arguments);
        Assert.Equal(2, await process.ExitAsync());
        Assert.Equal([expected], process.Lines);
    }
}

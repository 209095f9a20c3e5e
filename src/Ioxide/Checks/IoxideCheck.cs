namespace Ioxide;

/// <summary>
/// Checks a host before a program serves on it: kernel, rings, limits, processors, and what the program's packages need. A program with
/// an ASP.NET Core host calls <c>app.RunIoxideCheckIfAsked(args)</c> instead.
/// </summary>
public static class IoxideCheck
{
    /// <summary>
    /// The argument that asks for the check: <c>--ioxide-check</c> prints text, <c>--ioxide-check=json</c> prints JSON.
    /// </summary>
    public const string Argument = "--ioxide-check";

    private const int UsageStatus = 2;

    /// <summary>Runs the check if the arguments ask for it, and prints the report to standard output.</summary>
    /// <param name="args">The program's arguments.</param>
    /// <param name="options">The options that the program starts its reactors with. Defaults to a new <see cref="ReactorOptions"/>.</param>
    /// <param name="checks">Further checks, which run after the runtime's.</param>
    /// <returns>
    /// Whether the check was asked for. Then the program ends: <see cref="Environment.ExitCode"/> is 1 where anything is missing, 2 where the
    /// form after <c>=</c> is neither <c>text</c> nor <c>json</c>, else 0. A <c>Main</c> that returns a number returns that.
    /// </returns>
    /// <remarks>Opens sockets on the loopback address only.</remarks>
    public static Task<bool> RunIfAskedAsync(string[] args, ReactorOptions? options = null, params IReadOnlyList<IHostCheck> checks)
    {
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(checks);
        return RunIfAskedAsync(
            args, () => new RuntimeCheck(options ?? new ReactorOptions(), "the program does not start"), () => checks);
    }

    /// <param name="args">The program's arguments.</param>
    /// <param name="runtime">Makes the runtime's check. An exception becomes a line.</param>
    /// <param name="checks">Finds the further checks. An exception becomes a line.</param>
    internal static async Task<bool> RunIfAskedAsync(string[] args, Func<RuntimeCheck> runtime, Func<IReadOnlyList<IHostCheck>> checks)
    {
        int? status = await AnswerAsync(args, runtime, checks, Console.Out, Console.Error).ConfigureAwait(false);
        Environment.ExitCode = status ?? Environment.ExitCode;
        return status is not null;
    }

    /// <summary>The exit status, or null where the check was not asked for.</summary>
    internal static async Task<int?> AnswerAsync(
        string[] args, Func<RuntimeCheck> runtime, Func<IReadOnlyList<IHostCheck>> checks, TextWriter output, TextWriter error)
    {
        if (Array.Find(args, static arg => arg == Argument || arg.StartsWith(Argument + "=", StringComparison.Ordinal)) is not { } asked)
        {
            return null;
        }

        string form = asked == Argument ? "text" : asked[(Argument.Length + 1)..];
        if (form is not ("text" or "json"))
        {
            await error.WriteLineAsync($"{asked}: the forms are {Argument}=text and {Argument}=json.").ConfigureAwait(false);
            return UsageStatus;
        }

        CheckReport report = await RunAsync(runtime, checks).ConfigureAwait(false);
        await output.WriteAsync(form == "json" ? report.ToJson() : report.ToText()).ConfigureAwait(false);
        return report.IsGood ? 0 : 1;
    }

    private static async Task<CheckReport> RunAsync(Func<RuntimeCheck> makeRuntime, Func<IReadOnlyList<IHostCheck>> findChecks)
    {
        var report = new CheckReport();
        ReactorGroup? group = null;
        await AddAsync(report, "options", async () =>
        {
            RuntimeCheck runtime = makeRuntime();
            group = await runtime.RunAsync().ConfigureAwait(false);
            return runtime.Lines;
        }).ConfigureAwait(false);
        IReadOnlyList<IHostCheck> checks = [];
        await AddAsync(report, "endpoints", () =>
        {
            checks = findChecks();
            return Task.FromResult<IReadOnlyList<CheckLine>>([]);
        }).ConfigureAwait(false);
        foreach (IHostCheck check in checks)
        {
            await AddAsync(report, check.GetType().Name, () => check.CheckAsync(group, CancellationToken.None)).ConfigureAwait(false);
        }

        if (group is not null)
        {
            await group.DisposeAsync().ConfigureAwait(false);
        }

        return report;
    }

    /// <summary>A check that throws has found something that the program would meet when it starts.</summary>
    private static async Task AddAsync(CheckReport report, string name, Func<Task<IReadOnlyList<CheckLine>>> check)
    {
        try
        {
            report.Add(await check().ConfigureAwait(false));
        }
        catch (Exception exception)
        {
            string found = $"{exception.GetType().Name}: {exception.Message.ReplaceLineEndings(" ").TrimEnd('.')}";
            report.Add([CheckLine.Of(name, CheckState.Missing, found, "the program does not start", remedy: null)]);
        }
    }
}

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

    // What begins so is an argument of the check, and of nothing else.
    private const string Prefix = "--ioxide-";

    private const int UsageStatus = 2;

    /// <summary>Runs the check if the arguments ask for it, and prints the report to standard output.</summary>
    /// <param name="args">The program's arguments.</param>
    /// <param name="options">The options that the program starts its reactors with. Defaults to a new <see cref="ReactorOptions"/>.</param>
    /// <param name="checks">Further checks, which run after the runtime's.</param>
    /// <returns>
    /// Whether the check was asked for. Then the program ends: <see cref="Environment.ExitCode"/> is 1 where anything is missing, 2 where an
    /// argument begins with <c>--ioxide-</c> and is none of <see cref="Argument"/>'s forms, else 0. A <c>Main</c> that returns a number
    /// returns that.
    /// </returns>
    /// <remarks>Opens sockets on the loopback address only.</remarks>
    public static Task<bool> RunIfAskedAsync(string[] args, ReactorOptions? options = null, params IReadOnlyList<IHostCheck> checks)
    {
        ArgumentNullException.ThrowIfNull(args);
        ArgumentNullException.ThrowIfNull(checks);
        return RunIfAskedAsync(args, new RawProgram(options ?? new ReactorOptions(), checks));
    }

    internal static async Task<bool> RunIfAskedAsync(string[] args, ICheckedProgram program)
    {
        int? status = await AnswerAsync(args, program, Console.Out, Console.Error).ConfigureAwait(false);
        Environment.ExitCode = status ?? Environment.ExitCode;
        return status is not null;
    }

    /// <summary>Whether an argument asks for the check, in a form that exists.</summary>
    internal static bool IsRequest(string arg) => FormOf(arg) is not null;

    /// <summary>The exit status, or null where the check was not asked for.</summary>
    internal static async Task<int?> AnswerAsync(string[] args, ICheckedProgram program, TextWriter output, TextWriter error)
    {
        string[] own = Array.FindAll(args, static arg => arg.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase));
        if (own.Length == 0)
        {
            return null;
        }

        string? wrong = Array.Find(own, static arg => !IsRequest(arg)) is { } unknown
            ? $"{unknown}: unknown argument. The check takes {Argument}, {Argument}=text and {Argument}=json."
            : program.FindWrongArgument(args);
        if (wrong is not null)
        {
            await error.WriteLineAsync(wrong).ConfigureAwait(false);
            return UsageStatus;
        }

        program.Prepare(args);
        CheckReport report = await RunAsync(program).ConfigureAwait(false);
        await output.WriteAsync(FormOf(own[0]) == "json" ? report.ToJson() : report.ToText()).ConfigureAwait(false);
        return report.IsGood ? 0 : 1;
    }

    /// <summary>What the host would print of an exception, on one line: the message alone if the exception prints nothing else.</summary>
    internal static string Describe(Exception exception)
    {
        string message = exception.Message;
        if (exception.ToString() != message)
        {
            Exception cause = exception.GetBaseException();
            message = $"{exception.GetType().Name}: {message}{(cause == exception ? "" : $" {cause.GetType().Name}: {cause.Message}")}";
        }

        return message.ReplaceLineEndings(" ").TrimEnd('.');
    }

    private static string? FormOf(string arg) => arg switch
    {
        Argument or Argument + "=text" => "text",
        Argument + "=json" => "json",
        _ => null,
    };

    private static async Task<CheckReport> RunAsync(ICheckedProgram program)
    {
        var report = new CheckReport();
        ReactorGroup? group = null;
        await AddAsync(report, "options", async () =>
        {
            RuntimeCheck runtime = program.MakeRuntimeCheck();
            group = await runtime.RunAsync().ConfigureAwait(false);
            return runtime.Lines;
        }).ConfigureAwait(false);
        IReadOnlyList<IHostCheck> checks = [];
        await AddAsync(report, "endpoints", () =>
        {
            checks = program.FindChecks();
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
            report.Add([CheckLine.Of(name, CheckState.Missing, Describe(exception), "the program does not start", remedy: null)]);
        }
    }

    /// <summary>A program that starts its reactors itself, and takes arguments that only it knows.</summary>
    private sealed class RawProgram(ReactorOptions options, IReadOnlyList<IHostCheck> checks) : ICheckedProgram
    {
        public string? FindWrongArgument(string[] args) => null;

        public void Prepare(string[] args)
        {
        }

        public RuntimeCheck MakeRuntimeCheck() => new(options, "the program does not start");

        public IReadOnlyList<IHostCheck> FindChecks() => checks;
    }
}

using System.Diagnostics;
using System.Reflection;
using Ioxide.Compare;
using Ioxide.Compare.Jit;

namespace Ioxide.Bench.Tests;

/// <summary>What is read from the trace of a process about its JIT, and how it is printed.</summary>
public sealed class JitTests : IDisposable
{
    // Without optimization, the code of an asynchronous method is a class, whose generic code is that of all classes.
#if DEBUG
    private const string TierOfBuild = "MinOptJitted";
    private const string MainOfBuild = "System.__Canon";
#else
    private const string TierOfBuild = "QuickJitted";
    private const string MainOfBuild = "[Ioxide.Compare]<<Main>$>d__0";
#endif

    private readonly string _path = Path.Combine(Path.GetTempPath(), $"ioxide-{Guid.NewGuid():N}.nettrace");

    public void Dispose() => File.Delete(_path);

    [Fact]
    public async Task AProcessThatIsToldByItsEnvironmentWritesDownWhatItCompiles()
    {
        DateTime before = DateTime.UtcNow;
        await RunAsync(JitTrace.EnvironmentFor(_path));
        JitTrace trace = JitTrace.Read(_path);

        // The header of a trace has milliseconds.
        Assert.InRange(trace.Started, before.AddMilliseconds(-1), DateTime.UtcNow);
        JitMethod parse = Assert.Single(trace.Methods, static method => method.Name == "Ioxide.Compare.CompareOptions::Parse");
        Assert.Equal(("Ioxide.Compare", TierOfBuild, false), (parse.Assembly, parse.Tier, parse.IsOurs));
        Assert.True(parse is { IlBytes: > 0, CompileMs: > 0 } && parse.AtMs > parse.CompileMs);

        // Generic code of the framework, and what it is over.
        Assert.Contains(trace.Methods, static method => method.Name.EndsWith($"::Start<{MainOfBuild}>", StringComparison.Ordinal));
        Assert.DoesNotContain(trace.Methods, static method => method.IsOurs);
    }

    [Fact]
    public async Task AProcessThatIsNotToldLeavesNoTrace()
    {
        await RunAsync(new Dictionary<string, string>());

        Assert.Contains(_path, Assert.Throws<RefusedException>(() => JitTrace.Read(_path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void EveryPackageIsOurs()
    {
        string root = typeof(JitTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(static metadata => metadata.Key == "RepositoryRoot").Value!;
        string[] packages = [.. Directory.GetDirectories(Path.Combine(root, "src"))
            .Select(static folder => Path.GetFileName(folder)).Where(static name => !name.StartsWith("Ioxide.Analyzers", StringComparison.Ordinal))];

        Assert.Contains("Ioxide", packages);
        Assert.All(packages, static name => Assert.True(JitTypes.IsOurs(name), $"JitTypes does not know {name}"));
        Assert.All(["Ioxide.LoadHost", "System.Private.CoreLib"], static name => Assert.False(JitTypes.IsOurs(name)));
    }

    [Fact]
    public void MethodsAreCountedUntilTheReplyAndBehindItAndThoseOfThePackagesComeFirst()
    {
        var writer = new StringWriter();
        JitReport.Print(
            writer,
            "ioxide",
            [
                new("App", "App::Main", "QuickJitted", 10, 1, 100, IsOurs: false),
                new("System.Private.CoreLib", "Queue`1[Ioxide.WorkItem]::Enqueue", "QuickJitted", 20, 2, 200, IsOurs: true),
                new("Ioxide", "Ioxide.Reactor::Run", "Optimized", 30, 4, 2300, IsOurs: true),
                new("App", "App::Main", "OptimizedTier1", 10, 8, 2400, IsOurs: false),
                new("App", "App::Late", "QuickJitted", 10, 16, 2501, IsOurs: false),
            ],
            replyMs: 500,
            seconds: 2);

        Assert.Equal(
            """
            ioxide: what the JIT compiled
                                                             methods        ms  Ioxide's        ms
              until the first reply                                2       3.0         1       2.0
              in 2 s after it                                      1       4.0         1       4.0
              together                                             3       7.0         2       6.0
              once more, optimized                                 1       8.0         0       0.0

              Ioxide                                               1       4.0         1       4.0
              App                                                  1       1.0         0       0.0
              System.Private.CoreLib                               1       2.0         1       2.0

            Ioxide's own, and generic code of others over its types: tier, bytes of IL, ms, ms from the first reply, method
              Ioxide
                Optimized       30    4.00   1,800  Ioxide.Reactor::Run
              System.Private.CoreLib
                QuickJitted     20    2.00    -300  Queue`1[Ioxide.WorkItem]::Enqueue

            all others: tier, bytes of IL, ms, ms from the first reply, method
              App
                QuickJitted     10    1.00    -400  App::Main

            """,
            writer.ToString());
    }

    /// <summary>Runs a short program that has nothing of the packages: the driver, which lists its workloads.</summary>
    private static async Task RunAsync(IReadOnlyDictionary<string, string> environment)
    {
        var start = new ProcessStartInfo(Path.Combine(AppContext.BaseDirectory, "Ioxide.Compare"), ["--list"]) { RedirectStandardOutput = true };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start)!;
        await process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, process.ExitCode);
    }
}

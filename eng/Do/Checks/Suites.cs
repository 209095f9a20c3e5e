namespace Ioxide.Do.Checks;

/// <summary>Suites under other conditions than those that all tests have run under.</summary>
internal static class Suites
{
    private const string Transport = "Ioxide.AspNetCore.Tests";

    // What a kernel matters for most. `IOXIDE_TEST_KERNEL=epoll ./test.sh` runs everything there.
    private static readonly (string Project, string[] Classes)[] s_slice =
    [
        ("Ioxide.Tests", [
            "EchoTests", "ConnectTests", "CloseTests", "FaultTests", "ListenTests", "GroupStopTests", "BlockedHandlerTests", "StuckReactorTests",
            "RingFileTests"]),
        (Transport, ["InjectionTests", "BodyTests", "ConnectionEndTests", "StopTests", "ListenerTests", "WebSocketTests"]),
        ("Ioxide.Files.Tests", ["LargeFileTests", "ReloadTests", "ServingTests"]),
        ("Ioxide.Tls.Tests", ["KestrelTests"]),
        ("Ioxide.Http2.Tests", ["KestrelOracleTests"]),
        ("Ioxide.Pg.Tests", ["PipelineTests", "CancellationTests", "StreamingTests", "ServerReturnsTests"]),
    ];

    internal static IEnumerable<Check> All =>
    [
        // As the Release run built them, on a kernel that fails now and then.
        new("transport suite while faults are injected under it", static log => log.RunAsync(
            new Job(
                Transport, [$"artifacts/bin/{Transport}/release/{Transport}", "-noLogo", "-noColor", "-longRunning", "60", .. TestSelection.WithoutOnce])
            {
                Environment = [("IOXIDE_TEST_FAULTS", "4"), Job.WithoutProfiles],
            })),

        new("suites on reactors that run on epoll", EpollAsync),
        new("the kernel's TLS in a virtual machine", KernelTlsAsync),
        new("fuzzing: what is kept, and 20,000 mutated inputs per target", static log => log.RunAsync(
            300, "artifacts/bin/Ioxide.Fuzz/release/Ioxide.Fuzz", "replay", "tests/Fuzz/corpus", "20000")),
    ];

    private static async Task<int> EpollAsync(CheckLog log)
    {
        IReadOnlyList<TestProject> all = TestProject.All();
        int status = 0;
        foreach ((string name, string[] classes) in s_slice)
        {
            TestProject project = all.Single(project => project.Name == name);
            foreach (string missing in classes.Where(type => !project.HasClass(type)))
            {
                log.Say($"{project.Folder} has no class {missing}");
                status = 1;
            }

            string[] words = [project.Program("release"), "-noLogo", "-noColor", .. classes.SelectMany(static type => new[] { "-class", $"*.{type}" })];
            status |= await log.RunAsync(new Job(name, words) { Environment = [("IOXIDE_TEST_KERNEL", "epoll"), Job.WithoutProfiles] });
        }

        return status;
    }

    /// <summary>The tests have 400 seconds in the machine. What takes longer is the first run, which fetches a kernel.</summary>
    private static async Task<int> KernelTlsAsync(CheckLog log)
    {
        int status = await log.RunAsync(900, "eng/ktls-tests.sh", "--smoke");
        return ExitStatus.IsLimit(status) ? ExitStatus.Skipped : status;
    }
}

namespace Ioxide.Do.Kernels;

/// <summary>Tests that run in one start of a virtual machine.</summary>
/// <param name="Name">What the results call it.</param>
/// <param name="Part">The row of the table that it belongs to.</param>
/// <param name="Project">The test project.</param>
/// <param name="Folders">Those of its folders whose classes run.</param>
/// <param name="Classes">Classes that run beside them.</param>
internal sealed record KernelUnit(string Name, string Part, string Project, string[] Folders, params string[] Classes)
{
    /// <summary>The reactors run on epoll.</summary>
    internal bool IsOnEpoll { get; init; }

    /// <summary>It needs no program of this host, so that it runs on another processor, too.</summary>
    internal bool IsPortable { get; init; }

    /// <summary>Files and folders of this host that it needs in the machine, beside those of every machine.</summary>
    internal string[] Needs { get; init; } = [];

    /// <summary>In the order in which they run: what needs the kernel most comes first.</summary>
    internal static IReadOnlyList<KernelUnit> All { get; } = [.. OnRings(), .. OnRings().Where(static unit => unit.IsOfEpollToo).Select(OnEpoll)];

    private bool IsOfEpollToo => Part is "runtime" or "transport";

    private static IEnumerable<KernelUnit> OnRings()
    {
        yield return new("scripts", "scripts of the simulated kernel", "Ioxide.Simulation", ["Conformance"]) { IsPortable = true };
        foreach (string folder in new[] { "Kernel", "Reactor", "Sockets", "Sockets.Faults", "Files", "Diagnostics", "Checks" })
        {
            yield return new($"runtime/{folder}", "runtime", "Ioxide.Tests", [folder]) { IsPortable = true };
        }

        // Without Scheduling: where an end point runs is learnt from how fast it is, and nothing is fast there.
        foreach (string folder in new[]
        {
            "Transport.Parity", "Transport.Faults", "Transport.Differential", "Threads", "Protocols", "Outbound", "ProxyProtocol",
        })
        {
            yield return new($"transport/{folder}", "transport", "Ioxide.AspNetCore.Tests", [folder]);
        }

        yield return new("transport/start", "transport", "Ioxide.AspNetCore.Tests", ["Activation", "Fallback", "Health", "Injection", "Options"]);
        yield return new("tls/kernel", "TLS, with the kernel's", "Ioxide.Tls.Tests", [], "KernelTlsTests", "KernelStartTests");

        // Without those that send thousands of mutated or cut handshakes, which ask nothing more of the kernel.
        yield return new(
            "tls/own", "TLS, with the kernel's", "Ioxide.Tls.Tests", ["Records"],
            "RecordTests", "ReaderTests", "WriterTests", "HandOverTests", "ResumptionTests", "AlertTests", "KeyLimitTests", "RecordLimitTests", "StagingArraysTests")
        {
            IsPortable = true,
        };
        yield return new("http2", "HTTP/2", "Ioxide.Http2.Tests", ["Serving", "Version2", "Grpc", "Hosting"]) { IsPortable = true };
        yield return new("files", "files", "Ioxide.Files.Tests", ["Snapshots", "Snapshots.Faults", "Safety", "Http"]) { IsPortable = true };

        // Connect compares documents, too, which are not there.
        foreach (string folder in new[] { "Driver", "Sessions", "Commands" })
        {
            yield return new($"pg/{folder}", "PostgreSQL", "Ioxide.Pg.Tests", [folder])
            {
                Needs = ["/usr/lib/postgresql", "/usr/share/postgresql", "/usr/share/zoneinfo"],
            };
        }
    }

    private static KernelUnit OnEpoll(KernelUnit unit)
        => unit with { Name = $"{unit.Name} on epoll", Part = $"{unit.Part}, reactors on epoll", IsOnEpoll = true };
}

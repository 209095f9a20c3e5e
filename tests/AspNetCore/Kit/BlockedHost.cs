namespace Ioxide.AspNetCore.Tests;

/// <summary>Runs of <c>tests/Hosts/Blocked</c>, which ends with its standard input and answers with what serves a request.</summary>
/// <remarks>It chooses its kernel for itself, or by an argument, whatever the suite runs on.</remarks>
internal static class BlockedHost
{
    private const string Program = "Ioxide.BlockedHost";

    // ReactorStalled, EndpointDemoted, ReactorBlocked, ReactorShortOfProcessor: a busy machine may take a reactor's processor for that long.
    private static readonly string[] s_ofABusyMachine =
    [
        "Ioxide.AspNetCore[1003]", "Ioxide.AspNetCore[1016]", "Ioxide.AspNetCore[1019]", "Ioxide.AspNetCore[1026]", "Microsoft.AspNetCore.Server.Kestrel[22]",
    ];

    internal static HostProcess Start(params string[] arguments) => StartUnder([], arguments);

    /// <param name="command">A command and its arguments that start it under other limits.</param>
    /// <param name="arguments">What the host takes.</param>
    internal static HostProcess StartUnder(string[] command, params string[] arguments)
        => HostProcess.Start(Program, arguments, command, endsWithInput: true, (TestKernel.OfChildren, null));

    /// <summary>Starts it as a user without rights, under a limit of locked memory.</summary>
    /// <param name="lockedBytes">RLIMIT_MEMLOCK of the process, soft and hard.</param>
    /// <param name="settings">Options of the transport, such as <c>SqEntries=64</c>.</param>
    /// <param name="arguments">What the host takes.</param>
    internal static HostProcess StartLimited(long lockedBytes, string[] settings, params string[] arguments)
    {
        // What rings were made is a line at Debug.
        (string, string?)[] variables =
        [
            (TestKernel.OfChildren, null),
            ("Logging__LogLevel__Ioxide", "Debug"),
            .. settings.Select(static setting => setting.Split('=')).Select(static parts => ($"Ioxide__{parts[0]}", parts[1])),
        ];
        return HostProcess.Start(Program, arguments, UserWith(lockedBytes), endsWithInput: true, variables);
    }

    /// <summary>A user of its own with a limit of locked memory; hosts that are started as the same share what it allows.</summary>
    internal static string[] UserWith(long lockedBytes)
    {
        Assert.SkipWhen(UnusedUser.Obstacle() is not null, UnusedUser.Obstacle() ?? "");
        return UnusedUser.UnderLockedMemory(lockedBytes);
    }

    /// <summary>The transport that answered a request.</summary>
    internal static async Task<string> TransportAsync(this HostProcess host)
    {
        using HttpClient client = new() { BaseAddress = await host.ListeningAsync() };
        return await client.GetStringAsync(new Uri("/", UriKind.Relative)).Within(60.Seconds(), "the host has answered");
    }

    /// <summary>Whether a host printed a warning. A busy machine may stall a reactor, and that is no matter.</summary>
    internal static bool IsWarning(string line)
        => line.StartsWith("warn:", StringComparison.Ordinal) && !s_ofABusyMachine.Any(id => line.Contains(id, StringComparison.Ordinal));
}

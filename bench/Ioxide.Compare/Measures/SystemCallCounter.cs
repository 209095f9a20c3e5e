using System.Diagnostics;
using System.Globalization;

namespace Ioxide.Compare.Measures;

/// <summary>Counts a process's system calls under load: with perf where it can trace, else with strace.</summary>
internal static class SystemCallCounter
{
    private const string AllCalls = "raw_syscalls:sys_enter";
    private const string CallPrefix = "syscalls:sys_enter_";

    /// <summary>What a server may call per request or per batch; perf needs the names beforehand.</summary>
    private static readonly string[] s_named =
    [
        "io_uring_enter", "recvfrom", "recvmsg", "sendto", "sendmsg", "read", "write", "readv", "writev", "epoll_wait",
        "epoll_ctl", "accept4", "close", "shutdown", "setsockopt", "getsockname", "futex", "sched_yield", "madvise",
    ];

    private static readonly TimeSpan s_attachTime = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan s_toolTimeout = TimeSpan.FromSeconds(10);

    /// <param name="processId">The process, with all its threads.</param>
    /// <param name="outputPath">A file for what the tool writes.</param>
    /// <param name="load">Runs while the calls are counted.</param>
    internal static async Task<SystemCallCount> CountAsync(
        int processId, string outputPath, Func<Task> load, CancellationToken cancellation)
    {
        string id = processId.ToString(CultureInfo.InvariantCulture);
        bool usePerf = await PerfWorksAsync(cancellation);
        string events = string.Join(',', s_named.Select(static name => CallPrefix + name).Prepend(AllCalls));
        using Process tool = CommandRunner.Start(usePerf
            ? new ProcessStartInfo("perf", ["stat", "-x", ",", "-o", outputPath, "-e", events, "-p", id])
            : new ProcessStartInfo("strace", ["-c", "-f", "-q", "-o", outputPath, "-p", id]));
        Task<string> complaint = tool.StandardError.ReadToEndAsync(CancellationToken.None);
        try
        {
            await Task.Delay(s_attachTime, cancellation);
            await load();
        }
        finally
        {
            // Both write their counts when they are interrupted.
            string toolId = tool.Id.ToString(CultureInfo.InvariantCulture);
            await CommandRunner.RunAsync("kill", ["-INT", toolId], s_toolTimeout, CancellationToken.None);
            await tool.WaitForExitAsync(CancellationToken.None);
        }

        if (!File.Exists(outputPath))
        {
            throw new RefusedException($"System calls could not be counted: {await complaint}");
        }

        string[] lines = await File.ReadAllLinesAsync(outputPath, cancellation);
        File.Delete(outputPath);
        return usePerf ? ReadPerf(lines) : ReadStrace(lines);
    }

    private static async Task<bool> PerfWorksAsync(CancellationToken cancellation)
    {
        try
        {
            CommandOutput output = await CommandRunner.RunAsync(
                "perf", ["stat", "-e", AllCalls, "true"], s_toolTimeout, cancellation);
            return output.ExitCode == 0;
        }
        catch (RefusedException)
        {
            return false;
        }
    }

    /// <summary>Lines such as <c>1234,,raw_syscalls:sys_enter,...</c>.</summary>
    private static SystemCallCount ReadPerf(string[] lines)
    {
        long total = 0;
        var byName = new Dictionary<string, long>();
        foreach (string line in lines)
        {
            string[] fields = line.Split(',');
            if (fields.Length < 3 || !long.TryParse(fields[0], CultureInfo.InvariantCulture, out long count))
            {
                continue;
            }

            if (fields[2] == AllCalls)
            {
                total = count;
            }
            else
            {
                byName[fields[2][CallPrefix.Length..]] = count;
            }
        }

        return new SystemCallCount(total, byName, "perf");
    }

    /// <summary>A table: share, seconds, time a call, calls, errors where there are any, name.</summary>
    private static SystemCallCount ReadStrace(string[] lines)
    {
        var byName = new Dictionary<string, long>();
        foreach (string line in lines)
        {
            string[] fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (fields.Length >= 5 && fields[^1] != "total"
                && long.TryParse(fields[3], CultureInfo.InvariantCulture, out long count))
            {
                byName[fields[^1]] = count;
            }
        }

        return new SystemCallCount(byName.Values.Sum(), byName, "strace");
    }
}

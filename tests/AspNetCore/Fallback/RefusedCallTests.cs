using System.Globalization;
using System.Net;
using System.Security.Cryptography;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// A host may refuse any one call and allow the rest. Whichever it is, pages, files, uploads, timers and HTTPS are served, with right
/// bytes: on rings, or as a whole on epoll or over sockets, and what is missing is named in one line. Each refusal is made by a seccomp filter
/// in a child process that runs two reactors.
/// </summary>
/// <remarks>
/// Not here are calls without which neither .NET nor the sockets transport serves: socket, bind, listen, getsockname, setsockopt as a
/// whole and TCP_NODELAY, write, close, munmap, mprotect, pipe2, F_DUPFD_CLOEXEC, sched_setaffinity, and those of epoll.
/// Takes 3 to 16 s: each refusal starts a process, which serves everything.
/// </remarks>
[Once]
public class RefusedCallTests
{
    private const string Epoll = nameof(KernelChoice.Epoll);
    private const string IoUring = nameof(KernelChoice.IoUring);
    private const string Permission = "1";
    private const string Invalid = "22";
    private const string Unknown = "38";
    private const int LargeBytes = 1_500_000;
    private const int UploadBytes = 4_000_000;

    private static readonly byte[] s_large = [.. Enumerable.Range(0, LargeBytes).Select(static index => (byte)(index % 251))];

    /// <summary>Without them there are no rings.</summary>
    public static TheoryData<string, string> NeededCalls =>
    [
        .. Rows(
            [Permission],
            [
                "io_uring_setup", "io_uring_enter", "io_uring_register", "io_uring_register:probe", "io_uring_register:restrictions",
                "io_uring_register:enable", "io_uring_register:buffer_ring", "mmap:ring",
            ]),
        .. Rows([Unknown, Invalid], ["io_uring_setup", "io_uring_register:buffer_ring"]),
    ];

    /// <summary>What is lost without them, and the words that the log has for it.</summary>
    public static TheoryData<string, string, string, string> NamedCalls => new(OnBoth(Rows(
        [Permission, Unknown], ["vmsplice", "splice", "sendto", "fcntl:pipe_size", "openat2", "inotify_init1", "inotify_add_watch", "setsockopt:reuseport"])).Where(static row => row is not ("sendto", _, Epoll) and not (_, Unknown, Epoll)).Select(static row => (row.Call, row.Errno, row.Kernel, row.Call switch
        {
            "fcntl:pipe_size" => "fcntl(F_SETPIPE_SZ) failed with",
            "setsockopt:reuseport" => "setsockopt(SO_REUSEPORT) failed with",
            string call => $"{call} failed with",
        })));

    [Theory, MemberData(nameof(NeededCalls))]
    public Task WithoutACallThatRingsNeedReactorsServeEverythingOnEpoll(string call, string errno)
        => AssertServedInsteadAsync(call, errno, "epoll", "[1031]");

    /// <summary>Other threads wake a reactor through an eventfd.</summary>
    [Theory, Each(Permission, Unknown, Invalid)]
    public Task WithoutACallThatReactorsNeedSocketsServeEverything(string errno) => AssertServedInsteadAsync("eventfd2", errno, "sockets", "[1002]");

    private static async Task AssertServedInsteadAsync(string call, string errno, string transport, string id)
    {
        await using HostProcess host = Start(call, errno);

        await AssertServesEverythingAsync(host, transport);

        Assert.Equal(0, await host.StopAsync());
        AssertSaysWhy(host, id, call, errno);
    }

    private static void AssertSaysWhy(HostProcess host, string id, string call, string errno)
    {
        string line = Assert.Single(host.Lines, line => line.Contains(id, StringComparison.Ordinal));
        Assert.Contains(call.Split(':')[0], line, StringComparison.Ordinal);
        string error = Errno.Name(int.Parse(errno, CultureInfo.InvariantCulture));
        Assert.Contains($" failed with {error} on Linux {HostFacts.Read().Release}, because ", line, StringComparison.Ordinal);
        Assert.Contains("seccomp", line, StringComparison.Ordinal);
        Assert.DoesNotContain("6.1 or newer", line, StringComparison.Ordinal);
    }

    [Theory, MemberData(nameof(NamedCalls))]
    public async Task WithoutACallOfAFeatureOnlyThatFeatureIsReplacedAndNamedOnce(string call, string errno, string kernel, string words)
    {
        await using HostProcess host = Start(call, errno, kernel);

        await AssertServesEverythingAsync(host, kernel == Epoll ? "epoll" : "io_uring");

        Assert.Equal(0, await host.StopAsync());
        string[] warnings = [.. host.Lines.Where(BlockedHost.IsWarning)];
        Assert.True(warnings.Length == 1, string.Join('\n', warnings));
        string line = warnings[0];
        Assert.Contains(words, line, StringComparison.Ordinal);
        Assert.Contains("seccomp profile", line, StringComparison.Ordinal);
    }

    /// <summary>All of them at once, but for two that are called only where another one is not refused. Epoll needs accept4, as .NET does.</summary>
    [Theory]
    [InlineData(IoUring, "setsockopt:tls")]
    [InlineData(IoUring, "prlimit64")]
    [InlineData(IoUring, "io_uring_register:ring_fds", "statx", "madvise", "sched_getaffinity", "accept4", "getpeername", "getsockopt",
        "setsockopt:reuseaddr", "setsockopt:linger", "setsockopt:ulp", "shutdown", "ioctl:bytes", "geteuid")]
    [InlineData(Epoll, "epoll_pwait2", "preadv2", "getsockopt", "setsockopt:linger", "shutdown", "ioctl:bytes")]
    public async Task WithoutCallsThatNobodyMissesReactorsServeEverything(string kernel, params string[] calls)
    {
        await using HostProcess host = Start(string.Join(',', calls), Permission, kernel);

        await AssertServesEverythingAsync(host, kernel == Epoll ? "epoll" : "io_uring");

        Assert.Equal(0, await host.StopAsync());
        Assert.DoesNotContain(host.Lines, BlockedHost.IsWarning);
    }

    private static HostProcess Start(string call, string errno, string kernel = nameof(KernelChoice.Auto))
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, $"This host refuses rings: {RingProbe.Check()}.");
        return BlockedHost.Start("--everything", "--reactors", "2", "--refuse", call, "--errno", errno, "--kernel", kernel);
    }

    private static async Task AssertServesEverythingAsync(HostProcess host, string transport)
    {
        byte[] upload = Payload.Of(UploadBytes);
        foreach (Uri address in await host.ListeningAsync(count: 2))
        {
            using HttpClientHandler handler = new()
            {
                ServerCertificateCustomValidationCallback = HttpClientHandler.DangerousAcceptAnyServerCertificateValidator,
            };
            using HttpClient client = new(handler) { BaseAddress = address, Timeout = Waits.Generous(60.Seconds()) };

            Assert.Equal(transport, await client.GetStringAsync(Relative("/")));
            Assert.Equal("small", await client.GetStringAsync(Relative("/files/small.txt")));
            Payload.AssertSame(s_large, await client.GetByteArrayAsync(Relative("/files/large.bin")));
            Assert.Equal("rang", await client.GetStringAsync(Relative("/timer")));
            using HttpResponseMessage uploaded = await client.PostAsync(Relative("/upload"), new ByteArrayContent(upload));
            Assert.Equal(Convert.ToHexString(SHA256.HashData(upload)), await uploaded.Content.ReadAsStringAsync());

            // A link out of the folder is not followed, whoever opens it.
            using HttpResponseMessage secret = await client.GetAsync(Relative("/files/secret.txt"));
            Assert.Equal(HttpStatusCode.NotFound, secret.StatusCode);
        }
    }

    private static Uri Relative(string path) => new(path, UriKind.Relative);

    private static IEnumerable<(string Call, string Errno, string Kernel)> OnBoth(TheoryData<string, string> rows)
        => from row in rows from kernel in new[] { IoUring, Epoll } select (row.Data.Item1, row.Data.Item2, kernel);

    private static TheoryData<string, string> Rows(string[] errnos, string[] calls)
    {
        var rows = new TheoryData<string, string>();
        foreach (string call in calls)
        {
            foreach (string errno in errnos)
            {
                rows.Add(call, errno);
            }
        }

        return rows;
    }
}

namespace Ioxide.Compare;

/// <summary>The sides that can be named on the command line.</summary>
internal static class SideCatalog
{
    private const string InlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    private static readonly Dictionary<string, string> s_inlineCompletions = new() { [InlineCompletions] = "1" };

    /// <summary>What the package of Ioxide.AspNetCore sets in an application; here one program serves all sides.</summary>
    private static readonly Dictionary<string, string> s_package = new() { ["DOTNET_ThreadPool_UnfairSemaphoreSpinLimit"] = "0" };

    /// <summary>Behind the name of a side of the load host: without the log, activity and scope that the host makes for each request.</summary>
    private const string QuietSuffix = "-quiet";

    private const string HostingLog = "Logging__LogLevel__Microsoft.AspNetCore.Hosting.Diagnostics";

    /// <summary>Kestrel as it ships: sockets, SslStream, Npgsql, <c>MapStaticAssets</c>.</summary>
    internal static readonly Side Stock = new("stock", SideProgram.LoadHost, "sockets", UsesRing: false, SideKind.Stock)
    {
        Arguments = ["--files-by", "assets"],
    };

    /// <summary>Stock without its hops: <c>UnsafePreferInlineScheduling</c>, and completions of sockets inline.</summary>
    internal static readonly Side Inline = Stock with
    {
        Name = "stock-inline-ic",
        Transport = "sockets-inline-ic",
        Environment = s_inlineCompletions,
    };

    /// <summary><c>UseIoxide()</c> and nothing else.</summary>
    internal static readonly Side Transport = new("transport", SideProgram.LoadHost, "ioxide", UsesRing: true, SideKind.Ours)
    {
        Arguments = ["--files-by", "assets", "--npgsql"],
        Environment = s_package,
    };

    /// <summary>The whole of Ioxide: its transport, TLS, PostgreSQL driver and files.</summary>
    internal static readonly Side Ioxide = new("ioxide", SideProgram.LoadHost, "ioxide", UsesRing: true, SideKind.Ours)
    {
        Arguments = ["--ioxide-tls", "--files-by", "pipeline"],
        Environment = s_package,
    };

    /// <summary>The whole, with rows of the database as objects and the framework's JSON, as stock has them.</summary>
    internal static readonly Side Objects = Ioxide with { Name = "objects", Arguments = [.. Ioxide.Arguments, "--pg-objects"] };

    /// <summary>The whole of Ioxide where io_uring is refused.</summary>
    internal static readonly Side Epoll = Ioxide with { Name = "epoll", Transport = "epoll", UsesRing = false };

    /// <summary>The whole with its own HTTP/2 engine.</summary>
    internal static readonly Side Http2 = Ioxide with { Name = "http2", Arguments = [.. Ioxide.Arguments, "--ioxide-h2"] };

    /// <inheritdoc cref="Http2"/>
    internal static readonly Side EpollHttp2 = Epoll with { Name = "epoll-http2", Arguments = Http2.Arguments };

    /// <summary>The transport with that engine over SslStream (<c>UseHttps</c>), whose bytes are copied once more.</summary>
    internal static readonly Side Http2OverSslStream = Transport with
    {
        Name = "http2-sslstream",
        Arguments = [.. Transport.Arguments, "--ioxide-h2"],
    };

    internal static readonly Side Nginx = new("nginx", SideProgram.Nginx, "", UsesRing: false, SideKind.Limit);

    internal static readonly Side Liburing = new("liburing", SideProgram.Liburing, "liburing", UsesRing: true, SideKind.Limit);

    private static readonly Side s_echo = new("echo", SideProgram.Echo, "", UsesRing: true, SideKind.Ours);

    /// <summary>Servers on a ring that answer everything with one text: on the runtime alone, and in C.</summary>
    internal static readonly IReadOnlyList<Side> Limits = [s_echo with { Name = "raw", Kind = SideKind.Limit }, Liburing];

    /// <summary>One application, every transport.</summary>
    internal static readonly IReadOnlyList<Side> Http =
    [
        Stock,
        Stock with { Name = "stock-inline", Transport = "sockets-inline" },
        Inline,
        Transport,
        Ioxide,
        Epoll,
        Http2,
        EpollHttp2,
        Http2OverSslStream,
    ];

    /// <summary>The application as it was published into folders, beside the build.</summary>
    internal static readonly IReadOnlyList<Side> Published =
    [
        Ioxide with { Name = "ioxide-packages", Folder = "loadhost-packages" },
        .. from folder in new[] { "trimmed", "aot" }
           from side in new[] { Stock, Ioxide }
           select side with { Name = $"{side.Name}-{folder}", Folder = $"loadhost-{folder}" },
    ];

    /// <summary>Servers without a framework that answer everything with one text.</summary>
    internal static readonly IReadOnlyList<Side> Raw =
    [
        new("saea", SideProgram.SocketServer, "saea", UsesRing: false, SideKind.Stock),
        new("saea-ic", SideProgram.SocketServer, "saea-ic", UsesRing: false, SideKind.Stock)
        {
            Environment = s_inlineCompletions,
        },
        Nginx,
        Liburing,
        s_echo,
    ];

    /// <param name="specification"><c>NAME[-quiet][@FOLDER][+VARIABLE=VALUE]...</c></param>
    /// <exception cref="ArgumentException">The group has no such side, or a variable lacks its value.</exception>
    internal static Side Parse(string specification, IReadOnlyList<Side> group)
    {
        string[] parts = specification.Split('+');
        string[] nameAndFolder = parts[0].Split('@', 2);
        bool isQuiet = nameAndFolder[0].EndsWith(QuietSuffix, StringComparison.Ordinal);
        string name = isQuiet ? nameAndFolder[0][..^QuietSuffix.Length] : nameAndFolder[0];
        Side side = group.FirstOrDefault(known => known.Name == name)
            ?? throw new ArgumentException($"The workload has no side '{name}', only {string.Join(' ', group.Select(s => s.Name))}.");

        if (nameAndFolder.Length == 2 && side.Program is (SideProgram.Liburing or SideProgram.Nginx))
        {
            throw new ArgumentException($"'{side.Name}' has no other build to take.");
        }

        if (isQuiet && side.Program != SideProgram.LoadHost)
        {
            throw new ArgumentException($"'{side.Name}' has no log of the host to turn off.");
        }

        var environment = new Dictionary<string, string>(side.Environment);
        if (isQuiet)
        {
            environment[HostingLog] = "None";
        }

        foreach (string part in parts.Skip(1))
        {
            string[] pair = part.Split('=', 2);
            environment[pair[0]] = pair.Length == 2
                ? pair[1]
                : throw new ArgumentException($"'{part}' is no VARIABLE=VALUE.");
        }

        return side with
        {
            Name = specification,
            Folder = nameAndFolder.Length == 2 ? Path.GetFullPath(nameAndFolder[1]) : side.Folder,
            Environment = environment,
        };
    }
}

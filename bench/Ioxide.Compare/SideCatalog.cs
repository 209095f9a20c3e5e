namespace Ioxide.Compare;

/// <summary>The sides that can be named on the command line.</summary>
internal static class SideCatalog
{
    private const string InlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    private static readonly Dictionary<string, string> s_inlineCompletions = new() { [InlineCompletions] = "1" };

    /// <summary>One application, every transport.</summary>
    internal static readonly IReadOnlyList<Side> Http =
    [
        new("sockets", SideProgram.LoadHost, "sockets", UsesRing: false, IsStock: true),
        new("sockets-inline", SideProgram.LoadHost, "sockets-inline", UsesRing: false, IsStock: true),
        new("sockets-inline-ic", SideProgram.LoadHost, "sockets-inline-ic", UsesRing: false, IsStock: true)
        {
            Environment = s_inlineCompletions,
        },
        new("ioxide", SideProgram.LoadHost, "ioxide", UsesRing: true, IsStock: false),
        new("ioxide-tls", SideProgram.LoadHost, "ioxide", UsesRing: true, IsStock: false) { Arguments = ["--ioxide-tls"] },
    ];

    /// <summary>Servers without a framework that answer everything with one text.</summary>
    internal static readonly IReadOnlyList<Side> Raw =
    [
        new("saea", SideProgram.SocketServer, "saea", UsesRing: false, IsStock: true),
        new("saea-ic", SideProgram.SocketServer, "saea-ic", UsesRing: false, IsStock: true)
        {
            Environment = s_inlineCompletions,
        },
        new("nginx", SideProgram.Nginx, "", UsesRing: false, IsStock: false),
        new("liburing", SideProgram.Liburing, "liburing", UsesRing: true, IsStock: false),
        new("echo", SideProgram.Echo, "", UsesRing: true, IsStock: false),
    ];

    /// <param name="specification"><c>NAME[@FOLDER][+VARIABLE=VALUE]...</c></param>
    /// <exception cref="ArgumentException">The group has no such side, or a variable lacks its value.</exception>
    internal static Side Parse(string specification, IReadOnlyList<Side> group)
    {
        string[] parts = specification.Split('+');
        string[] nameAndFolder = parts[0].Split('@', 2);
        Side side = group.FirstOrDefault(known => known.Name == nameAndFolder[0])
            ?? throw new ArgumentException(
                $"The workload has no side '{nameAndFolder[0]}', only {string.Join(' ', group.Select(s => s.Name))}.");

        if (nameAndFolder.Length == 2 && side.Program is (SideProgram.Liburing or SideProgram.Nginx))
        {
            throw new ArgumentException($"'{side.Name}' has no other build to take.");
        }

        var environment = new Dictionary<string, string>(side.Environment);
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
            Folder = nameAndFolder.Length == 2 ? nameAndFolder[1] : null,
            Environment = environment,
        };
    }
}

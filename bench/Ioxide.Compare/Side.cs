namespace Ioxide.Compare;

/// <summary>One server under comparison.</summary>
/// <param name="Name">As it was given, so that two variants of one side stay apart.</param>
/// <param name="Program">What serves it.</param>
/// <param name="Transport">What the server must say it runs on.</param>
/// <param name="UsesRing">Whether the process must hold an io_uring descriptor.</param>
/// <param name="Kind">What the others are measured against, or what is measured.</param>
internal sealed record Side(string Name, SideProgram Program, string Transport, bool UsesRing, SideKind Kind)
{
    /// <summary>Added to the environment of the process.</summary>
    internal IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

    /// <summary>Added to the arguments of the program.</summary>
    internal IReadOnlyList<string> Arguments { get; init; } = [];

    /// <summary>Another folder to take the program from; relative to where the results go.</summary>
    internal string? Folder { get; init; }

    /// <summary>Whether its program is on this machine.</summary>
    internal bool IsThere(Layout layout) => Program switch
    {
        SideProgram.Nginx => CommandRunner.Find("nginx") is not null,
        SideProgram.Liburing => File.Exists(layout.Liburing),
        SideProgram.LoadHost => File.Exists(layout.Program("Ioxide.LoadHost", Folder)),
        _ => true,
    };
}

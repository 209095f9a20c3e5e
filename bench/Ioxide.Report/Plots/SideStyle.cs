namespace Ioxide.Report.Plots;

/// <summary>The class that gives a side its colour.</summary>
internal static class SideStyle
{
    /// <summary>Each class and what it stands for.</summary>
    internal static readonly IReadOnlyList<(string Style, string Meaning)> Legend =
    [
        ("ours", "Ioxide with all that it brings"), ("ours-other", "Ioxide with a part of it, such as the transport alone"),
        ("stock", "Kestrel as it ships"), ("stock-other", "another setting of it"), ("limit", "nginx, or a server that answers one fixed text"),
    ];

    internal static string Of(SideRecord side) => side.Kind switch
    {
        SideKind.Stock => side.Name == "stock" ? "stock" : "stock-other",
        SideKind.Limit => "limit",
        _ => side.Name == TargetCheck.Whole ? "ours" : "ours-other",
    };
}

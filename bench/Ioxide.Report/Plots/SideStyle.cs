namespace Ioxide.Report.Plots;

/// <summary>The class that gives a side its colour.</summary>
internal static class SideStyle
{
    internal static string Of(SideRecord side) => side.Kind switch
    {
        SideKind.Stock => side.Name == "stock" ? "stock" : "stock-other",
        SideKind.Limit => "limit",
        _ => side.Name == TargetCheck.Whole ? "ours" : "ours-other",
    };
}

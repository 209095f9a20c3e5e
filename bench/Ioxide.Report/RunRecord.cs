namespace Ioxide.Report;

/// <summary>One run of one workload: a file of <c>bench/results</c>.</summary>
/// <param name="Started">UTC.</param>
/// <param name="Commit">As git describes it; ends in <c>-dirty</c> where files had changed since.</param>
/// <param name="Flags">The command line, without what only says where files lie.</param>
/// <param name="Connections">Of the load.</param>
/// <param name="Seconds">Of load a round.</param>
internal sealed record RunRecord(
    string Workload,
    string Summary,
    DateTimeOffset Started,
    MachineRecord Machine,
    string Commit,
    string Flags,
    int Connections,
    int Seconds,
    string ServerCpus,
    string LoadCpus,
    TargetRecord? Target,
    List<SideRecord> Sides)
{
    /// <summary>Requests a second of a load that keeps to a rate.</summary>
    public double? Rate { get; set; }

    /// <summary>Why the run does not count as a whole.</summary>
    public string? Refused { get; set; }

    /// <summary>Rounds that do not count because the machine was disturbed, in their order; each was run again. Older files have none.</summary>
    public List<DiscardedRound> Discarded { get; set; } = [];

    /// <summary>What makes the numbers less worth, and what could not be measured.</summary>
    public List<string> Notes { get; init; } = [];
}

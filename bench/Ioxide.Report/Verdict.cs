namespace Ioxide.Report;

/// <summary>How a run stands to its target.</summary>
internal enum Verdict
{
    /// <summary>The workload has no target.</summary>
    None,
    Reached,
    Missed,

    /// <summary>A side of the comparison was not measured, or a round of it was refused.</summary>
    NotMeasured,
}

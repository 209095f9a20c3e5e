namespace Ioxide.Report;

/// <summary>Which way a metric is better.</summary>
internal enum MetricDirection
{
    /// <summary>Neither: it tells how to read the others.</summary>
    None,
    MoreIsBetter,
    LessIsBetter,
}

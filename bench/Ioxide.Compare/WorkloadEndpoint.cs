namespace Ioxide.Compare;

/// <summary>The endpoint of the server that a workload speaks to.</summary>
internal enum WorkloadEndpoint
{
    Http,
    Https,
    Http2,
}

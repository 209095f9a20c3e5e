namespace Ioxide.Compare.Loads;

/// <summary>Produces load for a time and counts what was answered.</summary>
internal interface ILoad
{
    /// <exception cref="RefusedException">The server answered an error, or wrongly, or not at all.</exception>
    Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation);
}

namespace Ioxide.Compare.Loads;

/// <summary>Produces load for a time and counts what was answered.</summary>
internal interface ILoad
{
    /// <returns>It may have counted nothing, where the server was too slow for the time.</returns>
    /// <exception cref="RefusedException">The server answered an error, or wrongly, or closed a connection.</exception>
    Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation);
}

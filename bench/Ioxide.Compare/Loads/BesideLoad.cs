namespace Ioxide.Compare.Loads;

/// <summary>The same load twice: alone, then beside connections that a server would rather not have.</summary>
/// <param name="load">What is measured.</param>
/// <param name="hold">Opens the others; told the server's port.</param>
/// <remarks>Counts are of both halves, latencies of the second.</remarks>
internal sealed class BesideLoad(ILoad load, Func<int, HeldConnections> hold) : ILoad
{
    /// <summary>Until the server has done what it does for the others when they come and when they go.</summary>
    private static readonly TimeSpan s_settle = TimeSpan.FromMilliseconds(500);

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan duration, CancellationToken cancellation)
    {
        LoadResult alone = await load.RunAsync(target, duration, cancellation);
        LoadResult beside;
        using (HeldConnections others = hold(target.Ports.Http))
        {
            await Task.Delay(s_settle, cancellation);
            beside = await load.RunAsync(target, duration, cancellation);
            others.Check();
        }

        await Task.Delay(s_settle, cancellation);
        return beside with
        {
            Requests = alone.Requests + beside.Requests,
            Seconds = alone.Seconds + beside.Seconds,
            Bytes = alone.Bytes + beside.Bytes,
            P99AloneUs = alone.P99Us,
        };
    }
}

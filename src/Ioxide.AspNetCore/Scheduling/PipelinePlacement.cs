namespace Ioxide.AspNetCore;

/// <summary>The pipeline as a whole: middleware, and applications without endpoints.</summary>
/// <remarks>
/// It starts on the reactor: most pipelines only look at headers, and what blocks is an endpoint. It may have stalled a turn where no endpoint
/// ran. Two such turns per minute change nothing, because the first requests build the routes and whatever middleware needs once.
/// </remarks>
internal sealed class PipelinePlacement(PlacementRegistry registry) : Placement(registry, PlacementState.Inline)
{
    private const int MaxSlowTurns = 2;

    private RuntimeLock _lock;
    private int _slowTurns;
    private long _slowSince;

    internal override string Name => "The pipeline (middleware, or a handler without an endpoint)";

    /// <param name="context">The request.</param>
    /// <param name="next">The rest of the pipeline.</param>
    /// <param name="reactor">The calling thread's.</param>
    internal Task InvokeAsync(HttpContext context, RequestDelegate next, Reactor reactor)
        => IsInline ? RunInline(next, context, reactor, reactor.Ran.EnterPipeline(this)) : RunOnPoolAsync(next, context);

    internal void MayHaveStalled(Reactor reactor, TimeSpan duration)
    {
        _lock.Enter();
        if (_slowTurns == 0 || Registry.Time.GetElapsedTime(_slowSince) >= CleanPeriod)
        {
            _slowTurns = 0;
            _slowSince = Registry.Time.GetTimestamp();
        }

        bool isEnough = ++_slowTurns > MaxSlowTurns;
        _slowTurns = isEnough ? 0 : _slowTurns;
        _lock.Exit();
        if (isEnough)
        {
            Stalled(reactor.Id, duration, isCertain: false);
        }
    }
}

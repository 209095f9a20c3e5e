namespace Ioxide.AspNetCore;

/// <summary>The pipeline as a whole: middleware, and applications without end points.</summary>
/// <remarks>
/// It starts on the reactor: most pipelines only look at headers, and what blocks is an end point. It is doubted where a turn stalled and no
/// end point ran in it. Two doubts per minute are forgiven, because the first requests compile the pipeline and build the routes.
/// </remarks>
internal sealed class PipelinePlacement(PlacementBook book) : Placement(book, PlacementState.Inline)
{
    private const int MaxDoubts = 2;

    private readonly PlacementBook _book = book;
    private RuntimeLock _lock;
    private int _doubts;
    private long _doubtedSince;

    internal override string Name => "The pipeline (middleware, or a handler without an end point)";

    /// <param name="context">The request.</param>
    /// <param name="next">The rest of the pipeline.</param>
    /// <param name="reactor">The calling thread's.</param>
    internal Task InvokeAsync(HttpContext context, RequestDelegate next, Reactor reactor)
        => IsInline ? RunInline(next, context, reactor, reactor.EnterRequest(this)) : RunOnPoolAsync(next, context);

    internal void Doubt(Reactor reactor, TimeSpan duration)
    {
        _lock.Enter();
        if (_doubts == 0 || _book.Time.GetElapsedTime(_doubtedSince) >= Forgiveness)
        {
            _doubts = 0;
            _doubtedSince = _book.Time.GetTimestamp();
        }

        bool isEnough = ++_doubts > MaxDoubts;
        _doubts = isEnough ? 0 : _doubts;
        _lock.Exit();
        if (isEnough)
        {
            Stalled(reactor.Id, duration, isCertain: false);
        }
    }
}

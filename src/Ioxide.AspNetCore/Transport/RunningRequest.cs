namespace Ioxide.AspNetCore;

/// <summary>Names the request that a reactor runs, for the report of a stall. One per reactor.</summary>
/// <remarks>
/// The report is made on another thread while the request runs, and an <see cref="HttpContext"/> does not allow that: even a
/// read of its path moves its cache of features, which the reactor reads at the same time. So the strings are taken beforehand.
/// </remarks>
internal sealed class RunningRequest
{
    [ThreadStatic]
    private static RunningRequest? s_ofThread;

    private string _method = "";
    private PathString _path;

    /// <summary>Notes a request on the reactor whose thread this is.</summary>
    internal static void Note(Reactor reactor, HttpRequest request)
    {
        RunningRequest running = s_ofThread ??= new RunningRequest();
        running._method = request.Method;
        running._path = request.Path;
        reactor.Activity = running;
    }

    /// <summary>The method and the path, escaped as a log needs it.</summary>
    /// <remarks>Threads: any. While the next request begins, it may name the method of one and the path of the other.</remarks>
    public override string ToString() => $"{_method} {_path}";
}

using System.Globalization;

namespace Ioxide.Http2.Tests;

/// <summary>Where programs run: the protocol, TLS, and what stands in front of the handler.</summary>
internal sealed record ProgramPlace(bool IsHttp1 = false, bool IsTls = false, bool HasMiddleware = false)
{
    /// <summary>What stands in front of this program's handler here.</summary>
    internal ProgramMiddleware Middleware(HandlerProgram program) => HasMiddleware ? ProgramPipeline.Draw(program) : ProgramMiddleware.None;

    /// <summary>Path and query of a request for this program.</summary>
    internal string Path(string path, HandlerProgram program)
        => HasMiddleware ? string.Create(CultureInfo.InvariantCulture, $"{path}?m={(int)Middleware(program)}") : path;

    /// <summary>What the middleware wants to see in the request.</summary>
    internal IEnumerable<(string Name, string Value)> Fields(HandlerProgram program)
        => HasMiddleware ? [("origin", "http://other"), ("accept-encoding", program.Seed % 3 == 0 ? "br" : "gzip")] : [];

    public override string ToString() => $"{(IsHttp1 ? "HTTP/1.1" : "HTTP/2")}{(IsTls ? " over TLS" : "")}{(HasMiddleware ? " behind middleware" : "")}";
}

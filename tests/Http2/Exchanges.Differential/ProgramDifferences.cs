using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>Where the engine does something else than Kestrel on purpose, and why.</summary>
internal static partial class ProgramDifferences
{
    /// <summary>Whether the list has the program's difference.</summary>
    internal static bool Has(ProgramPlace place, HandlerProgram program, string kestrel, string engine)
    {
        (kestrel, engine) = (WithoutPoolOfLogging(place, program, kestrel), WithoutPoolOfLogging(place, program, engine));
        return kestrel == engine || (place.IsHttp1 ? TransportDifferences.Has(place, program, kestrel, engine) : HasOfEngine(program, kestrel, engine));
    }

    /// <summary>
    /// A response that was kept behind the logging middleware writes to the middleware's pooled context first, which has no request by then
    /// (InvalidOperationException) or is another request's already, so that the write reaches the server, which refuses it. That is a matter of time.
    /// </summary>
    private static string WithoutPoolOfLogging(ProgramPlace place, HandlerProgram program, string seen)
        => program.UsesLate && place.Middleware(program).HasFlag(ProgramMiddleware.Logging)
            ? LateWriteBehindLogging().Replace(seen, nameof(ObjectDisposedException))
            : seen;

    private static bool HasOfEngine(HandlerProgram program, string kestrel, string engine)
        => SendsWhatCannotBeSent(program)
            || kestrel.Contains("without an end: handler False", StringComparison.Ordinal)
            || Common(program, kestrel) == Common(program, engine)
            || (ResetsBehindTheEnd(program) && WithoutAnswer(Common(program, kestrel)) == WithoutAnswer(Common(program, engine)))
            || (EndsBesideItself(program) && BeforeItsEnd(kestrel) == BeforeItsEnd(engine))
            || Common(program, WithoutForbiddenBytes(program, kestrel)) == Common(program, engine);

    private static string Common(HandlerProgram program, string seen) => WithoutLateTrailers(program, WithoutTrailersState(program, WithoutLateResets(program, WithBaseTypes(seen))));

    /// <summary>
    /// Kestrel sends a status that is no status (RFC 9110, section 15: three digits), a length beside Transfer-Encoding without its bytes (RFC 9113,
    /// section 8.1.1), fails in itself over a length that the status does not have, sends a part of bytes that are more than the length, as much as its memory had in one piece, and bytes of the writer's memory behind a status that has none (RFC 9110, section 6.4.1). The engine answers 500:
    /// <c>AnswerTests</c>.
    /// </summary>
    private static bool SendsWhatCannotBeSent(HandlerProgram program)
        => program.Steps.Any(static step => step is { Kind: StepKind.Status, Number: < 100 or > 999 })
            || (program.Steps.Any(static step => step.Text == "Transfer-Encoding")
                && program.Steps.Any(static step => step.Kind == StepKind.Length || step.Text == "Content-Length"))
            || (program.Steps.Any(static step => step.Kind is StepKind.PipeAdvance or StepKind.WriteText)
                && program.Steps.Any(length => length.Kind == StepKind.Length && length.Number < program.Steps.Sum(static step => IsWrite(step) ? step.Number : 0)))
            || (program.Steps.Any(static step => step is { Kind: StepKind.Status, Number: 204 or (>= 100 and < 200) })
                && program.Steps.Any(static step => step.Kind == StepKind.Length || step.Text == "Content-Length"))
            || (program.Steps.Any(static step => step is { Kind: StepKind.Status, Number: 204 or 205 or 304 })
                && program.Steps.Any(static step => step.Kind == StepKind.PipeAdvance));

    private static bool IsWrite(Step step)
        => step.Kind is StepKind.PipeAdvance or StepKind.WriteText or StepKind.PipeWrite or StepKind.StreamWrite or StepKind.StreamWriteSync;

    /// <summary>
    /// Kestrel sends bytes that were written into its writer's memory before the head even where no byte is allowed: behind a HEAD's, a 204's or a 304's
    /// head (RFC 9110, section 6.4.1), and behind the head of an error with Content-Length 0 (RFC 9113, section 8.1.1).
    /// </summary>
    private static string WithoutForbiddenBytes(HandlerProgram program, string seen)
        => (program.Method == "HEAD" ? BytesOfHead() : ForbiddenBytes()).Replace(seen, "$1");

    /// <summary>Kestrel resets a stream that both sides have ended (RFC 9113, section 5.1: nothing is sent on it).</summary>
    private static string WithoutLateResets(HandlerProgram program, string seen)
        => program.Steps.Any(static step => step is { Kind: StepKind.Reset, Number: 0 }) ? LateReset().Replace(seen.Replace("END RST NoError", "END", StringComparison.Ordinal), "$1")
            : program.IsClientDone ? LateReset().Replace(seen, "$1") : seen;

    /// <summary>Kestrel's trailers are read-only when they are sent, at some time after the end; the engine's with it.</summary>
    private static string WithoutTrailersState(HandlerProgram program, string seen)
        => program.Steps.Any(static step => step.Kind is StepKind.Complete or StepKind.PipeCompleteWriter) ? TrailersState().Replace(seen, "$1$2") : seen;

    /// <summary>Kestrel drops what a complete answer still has to send when its stream is reset; the engine sends it, then resets.</summary>
    private static bool ResetsBehindTheEnd(HandlerProgram program)
        => program.Steps.SkipWhile(static step => step.Kind is not (StepKind.Complete or StepKind.PipeCompleteWriter))
            .Any(static step => step.Kind is StepKind.Abort or StepKind.Reset);

    /// <summary>
    /// <c>PipeWriter.Complete</c> does not wait: where a callback before the start is asynchronous, the answer ends beside the handler, which goes on.
    /// What either meets is a matter of time, on both servers.
    /// </summary>
    private static bool EndsBesideItself(HandlerProgram program)
        => program.Steps.SkipWhile(static step => step is not { Kind: StepKind.OnStarting, Number: 2 or > 3 })
            .Any(static step => step is { Kind: StepKind.PipeCompleteWriter, Number: 1 or 2 });

    private static string BeforeItsEnd(string seen) => BehindItsEnd().Replace(seen, "");

    private static string WithoutAnswer(string seen) => Answer().Replace(seen, "");

    /// <summary>Kestrel takes trailers of a request that the application has aborted; the engine drops what comes for it.</summary>
    private static string WithoutLateTrailers(HandlerProgram program, string seen)
        => program.Steps.Any(static step => step.Kind is StepKind.Abort or StepKind.Reset || step is { Kind: StepKind.PipeCompleteWriter, Number: 1 })
            ? Trailers().Replace(seen, "")
            : seen;

    /// <summary>Kestrel's own type of the exception has no public constructor; it derives from this one.</summary>
    private static string WithBaseTypes(string seen)
        => seen.Replace("Microsoft.AspNetCore.Server.Kestrel.Core.BadHttpRequestException", "Microsoft.AspNetCore.Http.BadHttpRequestException", StringComparison.Ordinal);

    [GeneratedRegex(@"(?<=^  answer .*) \[(?!:status)[^\]]*\]|^(  Trailer\(0\): ).*$|^(  Look\(0\): .*) (?:True|False)(?= [^ ]*$)", RegexOptions.Multiline)]
    private static partial Regex TrailersState();

    [GeneratedRegex(@"^  (?:starting [^\n]*\n  )*PipeCompleteWriter\(.*", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex BehindItsEnd();

    [GeneratedRegex("(?<=^  late (?:write|write to the pipe|flush): )InvalidOperationException$", RegexOptions.Multiline)]
    private static partial Regex LateWriteBehindLogging();

    [GeneratedRegex("^  answer .*$", RegexOptions.Multiline)]
    private static partial Regex Answer();

    [GeneratedRegex("^  LookAtTrailers.*$", RegexOptions.Multiline)]
    private static partial Regex Trailers();

    [GeneratedRegex(@"(answer .* END) RST (?!NoError)\w+")]
    private static partial Regex LateReset();

    [GeneratedRegex(@"(answer (?:\[:status: 1[0-9]{2}\] )*\[[^\]]*content-length: 0[^\]]*\] )[0-9]+ bytes '.*' ")]
    private static partial Regex ForbiddenBytes();

    [GeneratedRegex(@"(answer (?:\[:status: 1[0-9]{2}\] )*\[[^\]]*\] )[0-9]+ bytes '.*' ")]
    private static partial Regex BytesOfHead();
}

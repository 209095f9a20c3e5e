using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>Where Kestrel's own HTTP/1.1 sees something else over the ring than over sockets, and why.</summary>
internal static partial class TransportDifferences
{
    private const int OneBuffer = 4000;
    private const string Cut = "\n  second cut";

    /// <summary>Whether the list has the program's difference.</summary>
    internal static bool Has(ProgramPlace place, HandlerProgram program, string sockets, string ring)
    {
        // SslStream does not make a write whose flush was cancelled, so that the answer is cut. The ring cancels the flush and sends the bytes.
        if (place.IsTls && Does(program, StepKind.PipeCancelFlush))
        {
            return true;
        }

        // How much a read finds decides how far a body is read before it counts as too large.
        if (program.BodyLength > ProgramHost.MaxBodyBytes)
        {
            return true;
        }

        // On the reactor of a connection in clear text every read sees what sockets show.
        bool isExact = !place.IsTls && program.Mode == ProgramMode.Reactor
            && !ring.Contains(ProgramSteps.NothingElsewhere, StringComparison.Ordinal);

        // A cancel and a reset that wait for the same read: either may come first.
        if (!isExact && Does(program, StepKind.PipeCancelRead) && Does(program, StepKind.ClientResets))
        {
            return true;
        }

        // A try finds nothing elsewhere than on the reactor (docs/limits.md); what it found the following steps do not.
        if (!isExact && Does(program, StepKind.PipeTryRead) && $"{sockets}{ring}".Contains("): nothing", StringComparison.Ordinal))
        {
            return true;
        }

        // How much of what came before a reset is decrypted is a matter of time.
        if (place.IsTls && Does(program, StepKind.ClientResets))
        {
            return true;
        }

        // What was sent before the connection was aborted may or may not arrive, and a client that ends its side may be faster than its answer.
        bool isAborted = program.Steps.Any(static step => step is { Kind: StepKind.Abort } or { Kind: StepKind.PipeCompleteWriter, Number: 1 })
            || (place.IsTls && Does(program, StepKind.Throw));

        // A step behind an exception is not taken.
        bool isClientDone = program.IsClientDone && !program.Steps.SkipWhile(static step => step.Kind != StepKind.Throw)
            .Any(static step => step.Kind is StepKind.ClientEnds or StepKind.ClientSendsTrailers or StepKind.ClientResets);
        bool endsItsSide = !isClientDone && Http1ProgramClient.EndsItsSide(program);
        bool isCut = sockets.Contains(Cut, StringComparison.Ordinal) || ring.Contains(Cut, StringComparison.Ordinal);
        if ((isAborted && isCut) || endsItsSide)
        {
            (sockets, ring) = (Second().Replace(sockets, ""), Second().Replace(ring, ""));
        }

        if (endsItsSide)
        {
            (sockets, ring) = (Logs().Replace(sockets, ""), Logs().Replace(ring, ""));
        }

        // Of chunks that lie in several buffers a read finds those that are decoded by then.
        if (!isExact || (!program.DeclaresLength && program.BodyLength > OneBuffer))
        {
            (sockets, ring) = (WithoutSizes(sockets), WithoutSizes(ring));
        }

        // To be told to continue is a flush, which takes the cancel of the next one with it.
        if (!isExact && program.ExpectsContinue && Does(program, StepKind.PipeCancelFlush))
        {
            (sockets, ring) = (CanceledFlushes().Replace(sockets, "$1"), CanceledFlushes().Replace(ring, "$1"));
        }

        return sockets == ring || (!isExact && WithoutOrder(sockets) == WithoutOrder(ring));
    }

    private static bool Does(HandlerProgram program, StepKind kind) => program.Steps.Any(step => step.Kind == kind);

    /// <summary>Over TLS Kestrel's reader finds at most a record, or the rest of a block of memory; the ring's all that is decrypted.</summary>
    private static string WithoutSizes(string seen) => Trailers().Replace(ReadBytes().Replace(seen, "$1$2$3"), "");

    /// <summary>
    /// Elsewhere than on the reactor no read ends at once. So the client is told to continue although its bytes are there, a cancelled read brings no bytes
    /// with it (the next one does), and Kestrel takes a read that failed for one that still runs.
    /// </summary>
    private static string WithoutOrder(string seen)
        => ReadsInReset().Replace(seen.Replace("[HTTP/1.1 100 Continue] ", "", StringComparison.Ordinal), "$1ConnectionReset");

    [GeneratedRegex("^  second .*$", RegexOptions.Multiline)]
    private static partial Regex Second();

    [GeneratedRegex(@"^(  (?:Pipe(?:Try)?Read|PipePeek|StreamRead\w*|ReadsAhead|CopyTo)\([^)]*\): )[0-9]+( of others)?( canceled)?.*$", RegexOptions.Multiline)]
    private static partial Regex ReadBytes();

    [GeneratedRegex("^  log .*\n", RegexOptions.Multiline)]
    private static partial Regex Logs();

    [GeneratedRegex(@"^(  Pipe(?:Write|Flush)\([^)]*\): )canceled ", RegexOptions.Multiline)]
    private static partial Regex CanceledFlushes();

    [GeneratedRegex("^  LookAtTrailers.*$", RegexOptions.Multiline)]
    private static partial Regex Trailers();

    [GeneratedRegex(
        @"(?<=ConnectionResetException\n(?s:.*)^)(  (?:Pipe(?:Try)?Read|PipePeek|StreamRead\w*|CopyTo|ReadForm)\([^)]*\): )InvalidOperation(?=Exception)",
        RegexOptions.Multiline)]
    private static partial Regex ReadsInReset();
}

using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>Where Kestrel's own HTTP/1.1 sees something else over the ring than over sockets, and why.</summary>
internal static partial class TransportDifferences
{
    private const string Cut = "\n  second cut";
    private const string TooLarge = "): Microsoft.AspNetCore.Server.Kestrel.Core.BadHttpRequestException 413";

    internal static IReadOnlyList<ProgramExcuse> All { get; } =
    [
        // An abort overtakes what was sent before it: how much of it arrives is a matter of time on both (RFC 9112, section 9.6).
        new("an answer that an abort overtakes", 228, static seen => IsOvertaken(seen) ? seen.Replace(Second(), "") : seen) { IsCase = IsOvertaken },

        // What follows on "elsewhere" stands in docs/limits.md: there no read is complete when it returns. So the client is told to continue although its
        // bytes are there,
        new("elsewhere: 100 Continue", 251, static seen => seen.IsElsewhere && seen.Program.ExpectsContinue ? seen.ReplaceOurs(Continue(), "") : seen),

        // Kestrel takes a read that failed for one that still runs,
        new("elsewhere: a read behind one that failed", 521, static seen => seen.IsElsewhere ? seen.ReplaceOurs(ReadsInReset(), "$1ConnectionReset") : seen),

        // a try finds nothing, and the reads behind it find what it did not,
        new("elsewhere: a try", 23, static seen => seen.IsElsewhere && seen.Ours.Contains(ProgramSteps.NothingElsewhere, StringComparison.Ordinal)
            ? WithoutReads(seen)
            : seen),

        // a canceled read brings no bytes with it, and the next one does,
        new("elsewhere: a canceled read", 174, static seen => IsCanceledElsewhere(seen) ? WithoutReads(seen) : seen) { IsCase = IsCanceledElsewhere },

        // and neither of both finds a body too large, for which Kestrel closes the connection behind the answer.
        new("elsewhere: a body that is too large", 3236, static seen => MayBeTooLargeLater(seen) && seen.Stock.Contains(TooLarge, StringComparison.Ordinal)
            ? WithoutReads(seen).ReplaceStock(ReadsTooLarge(), "$1").ReplaceStock(CloseOfFirst(), "").Replace(BehindFirst(), "")
            : seen) { IsCase = MayBeTooLargeLater },

        // SslStream gives Kestrel at most a record, or the rest of a block of memory, and a try nothing; the ring all that is decrypted.
        new("TLS: what a read finds", 95, static seen => seen.Place.IsTls ? WithoutReads(seen) : seen) { IsTls = true },

        // Kestrel's writer over SslStream does not make a write whose flush was canceled, so that the answer is cut. The ring cancels the flush and sends.
        new("TLS: a canceled flush", 12, static seen => seen.Place.IsTls && seen.Does(StepKind.PipeCancelFlush) && !IsCut(seen.Ours) && IsShorter(seen)
            ? seen.Replace(Second(), "").Replace(CanceledFlushes(), "$1")
            : seen) { IsTls = true },
    ];

    /// <summary>Of a chunked body the bytes may be there by chance.</summary>
    private static bool IsCanceledElsewhere(ProgramCase seen) => seen.IsElsewhere && seen.Does(StepKind.PipeCancelRead) && Canceled().IsMatch(seen.Ours);

    /// <summary>Of a chunked body stock, too, may have decoded too little by then.</summary>
    private static bool MayBeTooLargeLater(ProgramCase seen)
        => seen.IsElsewhere && seen.Does(StepKind.MaxBody) && seen.Does(static step => step.Kind is StepKind.PipeTryRead or StepKind.PipeCancelRead)
            && !seen.Ours.Contains(TooLarge, StringComparison.Ordinal);

    private static bool IsOvertaken(ProgramCase seen)
        => (IsCut(seen.Stock) || IsCut(seen.Ours))
            && (seen.Does(static step => step is { Kind: StepKind.Abort } or { Kind: StepKind.PipeCompleteWriter, Number: 1 })
                || (seen.Place.IsTls && seen.Does(StepKind.Throw)));

    /// <summary>Without how much reads found, and whether that was the end. That the bytes were the next ones stays.</summary>
    private static ProgramCase WithoutReads(ProgramCase seen) => seen.Replace(Tried(), "").Replace(ReadBytes(), "$1$2").Replace(Trailers(), "");

    private static bool IsCut(string text) => text.Contains(Cut, StringComparison.Ordinal);

    private static bool IsShorter(ProgramCase seen)
        => IsCut(seen.Stock) || Second().Match(seen.Ours).Value.StartsWith(Second().Match(seen.Stock).Value, StringComparison.Ordinal);

    [GeneratedRegex(@"(?<=\n  second )\[HTTP/1\.1 100 Continue\] ")]
    private static partial Regex Continue();

    [GeneratedRegex("^  second .*$", RegexOptions.Multiline)]
    private static partial Regex Second();

    [GeneratedRegex(@"^(  (?:Pipe(?:Try)?Read|PipePeek|StreamRead\w*|ReadsAhead|CopyTo)\([^)]*\): )[0-9]+( of others)?.*$", RegexOptions.Multiline)]
    private static partial Regex ReadBytes();

    [GeneratedRegex(@"^(  (?:PipeRead|PipePeek|StreamRead\w*|ReadsAhead|CopyTo)\([^)]*\): )Microsoft\.AspNetCore\..*BadHttpRequestException 413$", RegexOptions.Multiline)]
    private static partial Regex ReadsTooLarge();

    [GeneratedRegex(@"(?<=\n  second \[[^\]]*)Connection: close, ")]
    private static partial Regex CloseOfFirst();

    [GeneratedRegex(@"(?<=\n  second (?:(?! END).)* END).*")]
    private static partial Regex BehindFirst();

    [GeneratedRegex(@"\n  (?:PipeRead\([^)]*\): [0-9]+ canceled |StreamRead\([^)]*\): OperationCanceledException)|^  PipeRead\([^)]*\): [0-9]+ canceled ")]
    private static partial Regex Canceled();

    [GeneratedRegex(@"^  PipeTryRead\(.*$", RegexOptions.Multiline)]
    private static partial Regex Tried();

    [GeneratedRegex(@"^(  Pipe(?:Write|Flush)\([^)]*\): )canceled ", RegexOptions.Multiline)]
    private static partial Regex CanceledFlushes();

    [GeneratedRegex("^  LookAtTrailers.*$", RegexOptions.Multiline)]
    private static partial Regex Trailers();

    [GeneratedRegex(
        @"(?<=ConnectionResetException\n(?s:.*)^)(  (?:Pipe(?:Try)?Read|PipePeek|StreamRead\w*|CopyTo|ReadForm)\([^)]*\): )InvalidOperation(?=Exception)",
        RegexOptions.Multiline)]
    private static partial Regex ReadsInReset();
}

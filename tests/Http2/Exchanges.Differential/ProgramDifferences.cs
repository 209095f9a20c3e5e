using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>Where the engine does something else than Kestrel on purpose, and why.</summary>
internal static partial class ProgramDifferences
{
    internal static IReadOnlyList<ProgramExcuse> All { get; } =
    [
        // Kestrel fails in itself over a length that the status must not have (RFC 9110, section 8.6), and the client waits. The engine answers 500.
        new("a request that has no end", 4001, static seen => seen.Program.MayHaveNoEnd && NoEnd().IsMatch(seen.Stock) && Answer500().IsMatch(seen.Ours)
            ? seen with { Ours = seen.Stock }
            : seen),

        // Kestrel's own type of the exception has no public constructor; it derives from this one.
        new("the exception of a body that is too large", 1243, static seen => seen.ReplaceStock(KestrelsType(), "Http.BadHttpRequestException")),

        // Kestrel sends bytes that were written into its writer's memory before the head: RFC 9110, section 6.4.1, has none.
        new("bytes behind the head of an answer to HEAD", 27, static seen => seen.Program.Method == "HEAD" && seen.IsMalformed(ProgramAnswer.NoBytesAllowed)
            ? seen.ReplaceStock(BytesOfHead(), "$1").ReplaceStock(Malformed(), "")
            : seen),

        // The same behind an error's, which has Content-Length 0: RFC 9113, section 8.1.1.
        new("bytes behind the head of an error", 38, static seen => seen.IsMalformed(ProgramAnswer.AnotherLength) && BytesOfError().IsMatch(seen.Stock)
            ? seen.ReplaceStock(BytesOfError(), "$1").ReplaceStock(Malformed(), "")
            : seen),

        // RFC 9113, section 5.1: nothing is sent on a stream that both sides have ended.
        new("a reset of a stream that both sides have ended", 82, static seen => seen.Program.IsClientDone && seen.Does(Resets)
            ? seen.ReplaceStock(LateReset(), "")
            : seen),

        // Kestrel takes trailers until it sends them, at some time behind the end. The engine takes none behind the end.
        new("trailers that are set behind the end", 4336, static seen => LooksBehindTheEnd(seen)
            ? seen.Replace(TrailersBehindTheEnd(), "$1$2").Replace(TrailersOfAnswer(), "")
            : seen) { IsCase = LooksBehindTheEnd },

        // RFC 9110, section 15.
        new("a status without three digits", 46, static seen => Refused(
            seen, ProgramAnswer.NoStatus, static step => step is { Kind: StepKind.Status, Number: < 100 or > 999 })),

        // RFC 9110, sections 6.4.1 and 15.3.6.
        new("bytes behind the head of a 204, 205 or 304", 1021, static seen => Refused(
            seen, ProgramAnswer.NoBytesAllowed, static step => step is { Kind: StepKind.Status, Number: 204 or 205 or 304 })),

        // Kestrel takes the field out, and with it its count of the bytes: RFC 9113, section 8.1.1.
        new("a length beside Transfer-Encoding", 618, static seen => Refused(
            seen, ProgramAnswer.AnotherLength, static step => step.Text == "Transfer-Encoding")),

        // Kestrel counts bytes against the length only as they are written: RFC 9113, section 8.1.1.
        new("a length below the bytes before it", 548, static seen => Refused(
            seen, ProgramAnswer.AnotherLength, static step => step.Kind == StepKind.Length || step.Text == "Content-Length")),

        // Kestrel sends as much of a piece that is too large as its memory has in one stretch, and the answer looks whole. The engine resets.
        new("a part of what is more than the length", 776238, static seen => seen.Does(static step => step.Kind is StepKind.PipeAdvance or StepKind.WriteText)
            && WholeOfLength().Match(seen.Stock) is { Success: true } whole && CutOfLength().Match(seen.Ours) is { Success: true } cut
            && whole.Groups[1].Value == cut.Groups[1].Value
                ? WithoutEnd(seen)
                : seen),
    ];

    private static bool LooksBehindTheEnd(ProgramCase seen) => seen.Does(Ends, static step => step.Kind is StepKind.Trailer or StepKind.Look);

    private static bool Ends(Step step) => step.Kind is StepKind.Complete or StepKind.PipeCompleteWriter;

    private static bool Resets(Step step) => step.Kind is StepKind.Abort or StepKind.Reset || step is { Kind: StepKind.PipeCompleteWriter, Number: 1 };

    /// <summary>
    /// Kestrel sends a malformed answer, or would, had it not been reset. To the engine it is an error of the application: it throws where the fields become
    /// final, or answers 500. What follows differs, but for the next request's answer; the engine's may not be malformed.
    /// </summary>
    private static ProgramCase Refused(ProgramCase seen, string rule, Func<Step, bool> cause)
    {
        bool isMet = seen.Does(cause) && (seen.IsMalformed(rule) || (rule == ProgramAnswer.NoStatus && NoHead().IsMatch(seen.Stock)));
        return isMet && Refusal().IsMatch(FirstOfOurs(seen, out _)) ? WithoutEnd(seen) : seen;
    }

    private static string FirstOfOurs(ProgramCase seen, out int first)
    {
        string[] stock = seen.Stock.Split('\n');
        string[] ours = seen.Ours.Split('\n');
        first = 0;
        while (first < ours.Length && first < stock.Length && stock[first] == ours[first])
        {
            first++;
        }

        return first < ours.Length ? ours[first] : "";
    }

    /// <summary>Without what comes from the first line on that differs; the next request's answer stays.</summary>
    private static ProgramCase WithoutEnd(ProgramCase seen)
    {
        _ = FirstOfOurs(seen, out int first);
        return seen with { Stock = WithoutEnd(seen.Stock.Split('\n'), first), Ours = WithoutEnd(seen.Ours.Split('\n'), first) };
    }

    private static string WithoutEnd(string[] lines, int first)
        => string.Join('\n', [.. lines.Take(first), .. lines.Skip(first).Where(static line => line.StartsWith("  second ", StringComparison.Ordinal))]);

    [GeneratedRegex(@"\n  answer .*content-length: ([0-9]+)[^\]]*\] \1 bytes ")]
    private static partial Regex WholeOfLength();

    [GeneratedRegex(@"\n  log Microsoft\.AspNetCore\.Server\.Kestrel 13 Error InvalidOperationException\n  answer .*content-length: ([0-9]+)[^\]]*\] RST InternalError\n")]
    private static partial Regex CutOfLength();

    [GeneratedRegex("^  (?:[A-Z][A-Za-z]+\\(-?[0-9]+\\): |log Microsoft\\.AspNetCore\\.Server\\.Kestrel 13 Error )InvalidOperationException$")]
    private static partial Regex Refusal();

    [GeneratedRegex("(?<=Microsoft\\.AspNetCore\\.)Server\\.Kestrel\\.Core\\.BadHttpRequestException")]
    private static partial Regex KestrelsType();

    [GeneratedRegex(@"\n  without an end: handler False, answer $")]
    private static partial Regex NoEnd();

    [GeneratedRegex(@"\n  log Microsoft\.AspNetCore\.Server\.Kestrel 13 Error InvalidOperationException\n  answer \[:status: 500, [^\]]*\] END.*\n  second ")]
    private static partial Regex Answer500();

    [GeneratedRegex(@"(?<=^  (?:Complete|PipeCompleteWriter)\((?s:.*)^)(?:(  Trailer\(0\): ).*$|(  Look\(0\): .*) (?:True|False)(?= [^ ]*$))", RegexOptions.Multiline)]
    private static partial Regex TrailersBehindTheEnd();

    [GeneratedRegex(@"(?<=\n  answer .*) \[(?!:status)[^\]]*\]")]
    private static partial Regex TrailersOfAnswer();

    [GeneratedRegex(@"\n  answer (?:RST|reset by the client)")]
    private static partial Regex NoHead();

    [GeneratedRegex(@"\n  malformed: .*")]
    private static partial Regex Malformed();

    [GeneratedRegex(@"(?<=\n  answer .* END) RST \w+")]
    private static partial Regex LateReset();

    [GeneratedRegex(@"(\n  answer (?:\[:status: 1[0-9]{2}\] )*\[:status: [45][0-9]{2}, [^\]]*content-length: 0[^\]]*\] )[0-9]+ bytes '.*' ")]
    private static partial Regex BytesOfError();

    [GeneratedRegex(@"(\n  answer (?:\[:status: 1[0-9]{2}\] )*\[[^\]]*\] )[0-9]+ bytes '.*' ")]
    private static partial Regex BytesOfHead();
}

using static Ioxide.AspNetCore.Tests.ProbeJudge;
using static Ioxide.AspNetCore.Tests.ProbeText;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Names that are nearly those of a framing field: refused, or at least never taken as that field.</summary>
internal static class NormalizationCases
{
    private const string Length = "Content-Length";
    private const string Coding = "Transfer-Encoding";

    internal static ProbeCase[] All { get; } =
    [
        new("NORM-UNDERSCORE-CL", "RFC 9110, 5.1", Keeps(Length, "Content_Length", "99"), Echo("Content_Length: 99")),
        new("NORM-SP-BEFORE-COLON-CL", "RFC 9112, 5.1", Keeps(Length, "Content-Length ", "5"), Echo("Content-Length : 5")),
        new("NORM-TAB-IN-NAME", "RFC 9110, 5.1", Keeps(Length, "Content\tLength", "99"), Echo("Content\tLength: 99")),
        new("NORM-UNDERSCORE-TE", "RFC 9110, 5.1", Keeps(Coding, "Transfer_Encoding", "chunked"), Echo("Transfer_Encoding: chunked")),

        // Names have no case, so that another case is the same field; the catalogue wants it refused beside a length.
        new("NORM-CASE-TE", "RFC 9110, 5.1", First(static answer =>
            answer.Status >= 400 || answer.IsCut ? Score.Pass : answer.IsTaken ? Score.Warn : Score.Fail),
            Echo("TRANSFER-ENCODING: chunked")) { IsScored = false },
    ];

    private static string Echo(string line) => Line("POST /echo HTTP/1.1", $"{Length}: 11\r\n{line}\r\n") + "hello world";

    /// <summary>Refused or dropped is best; kept under its own name is allowed; under the name of the framing field is dangerous.</summary>
    private static ProbeJudge Keeps(string standard, string sent, string value) => First(answer =>
        answer.Status >= 400 || answer.IsCut ? Score.Pass
        : !answer.IsTaken || Has(answer, standard, value) ? Score.Fail
        : Has(answer, sent, value) ? Score.Warn
        : Score.Pass);

    private static bool Has(StepAnswer answer, string name, string value)
        => answer.Final!.Text.Split('\n').Contains($"{name}: {value}", StringComparer.OrdinalIgnoreCase);
}

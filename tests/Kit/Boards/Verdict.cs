namespace Ioxide.TestKit;

/// <summary>A server's answer to one case of a board.</summary>
/// <param name="Score">What it is worth.</param>
/// <param name="Seen">What came, in a few words on one line: "400, FIN".</param>
internal readonly record struct Verdict(Score Score, string Seen)
{
    internal static Verdict Pass(string seen) => new(Score.Pass, seen);

    internal static Verdict Warn(string seen) => new(Score.Warn, seen);

    internal static Verdict Fail(string seen) => new(Score.Fail, seen);
}

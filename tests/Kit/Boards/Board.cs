using System.Collections.Concurrent;
using System.Globalization;

namespace Ioxide.TestKit;

/// <summary>
/// A published catalogue of conformance that is played to several servers. On dispose each answer becomes a line of
/// <c>artifacts/boards/NAME.tsv</c>: case, source, server, score, what was seen. <c>eng/conformance.sh</c> makes the tables of docs/trust.md from them.
/// </summary>
/// <param name="name">The file's name, without its extension.</param>
/// <param name="stock">The server that the others are compared with.</param>
internal sealed class Board(string name, string stock) : IDisposable
{
    private readonly ConcurrentDictionary<(string Case, string Server), (string Source, Verdict Verdict)> _answers = new();

    /// <summary>Keeps an answer.</summary>
    /// <param name="caseId">The catalogue's name of the case.</param>
    /// <param name="source">Where the requirement stands: "RFC 9112, 2.2".</param>
    /// <param name="server">Who answered.</param>
    internal void Add(string caseId, string source, string server, Verdict verdict)
    {
        if (!_answers.TryAdd((caseId, server), (source, verdict)))
        {
            throw new InvalidOperationException($"'{server}' has answered {caseId} before.");
        }
    }

    /// <summary>
    /// What is wrong with the answers to a case: one that is worse than the stock server's, one that is no pass although there is no
    /// <paramref name="reason"/>, and a reason where none is needed. A test asserts that there is nothing.
    /// </summary>
    /// <param name="caseId">A case that each server has answered.</param>
    /// <param name="reason">Why an answer is no pass, with the line of the RFC that allows it; null where each must be.</param>
    /// <param name="mayBeWorse">The reason tells also why it is worse than the stock server's.</param>
    internal IEnumerable<string> Complaints(string caseId, string? reason = null, bool mayBeWorse = false)
    {
        Verdict expected = _answers[(caseId, stock)].Verdict;
        (string Server, Verdict Verdict)[] others =
        [
            .. _answers.Where(answer => answer.Key.Case == caseId && answer.Key.Server != stock)
                .Select(static answer => (answer.Key.Server, answer.Value.Verdict)),
        ];
        if (others.Length == 0)
        {
            yield return $"{caseId}: no server but {stock} has answered.";
        }

        foreach ((string server, Verdict verdict) in others)
        {
            if (verdict.Score < expected.Score && !mayBeWorse)
            {
                yield return $"{caseId}: {server} answers '{verdict.Seen}' ({verdict.Score}), {stock} '{expected.Seen}' ({expected.Score}).";
            }

            if (verdict.Score != Score.Pass && reason is null)
            {
                yield return $"{caseId}: {server} answers '{verdict.Seen}' ({verdict.Score}), and no reason is given.";
            }
        }

        if (reason is not null && others.All(static other => other.Verdict.Score == Score.Pass))
        {
            yield return $"{caseId}: a reason is given, and each answer is a pass.";
        }

        if (mayBeWorse && others.All(other => other.Verdict.Score >= expected.Score))
        {
            yield return $"{caseId}: no answer is worse than {stock}'s.";
        }
    }

    public void Dispose()
    {
        string folder = Path.Combine(Repository.Root, "artifacts", "boards");
        Directory.CreateDirectory(folder);
        File.WriteAllLines(
            Path.Combine(folder, $"{name}.tsv"),
            _answers.OrderBy(static answer => answer.Key.Case, StringComparer.Ordinal).ThenBy(static answer => answer.Key.Server, StringComparer.Ordinal)
                .Select(static answer => string.Create(
                    CultureInfo.InvariantCulture,
                    $"{answer.Key.Case}\t{answer.Value.Source}\t{answer.Key.Server}\t{answer.Value.Verdict.Score}\t{answer.Value.Verdict.Seen}")));
    }
}

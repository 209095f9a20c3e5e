using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace Ioxide.Mutation;

/// <summary>Code as its tokens: what stands between them (whitespace, line breaks, comments) is not compared.</summary>
internal static class SyntaxTokens
{
    internal static CSharpParseOptions Options { get; } = new(LanguageVersion.Preview, DocumentationMode.None);

    /// <summary>The tokens of a piece of code, which need not be whole syntax.</summary>
    internal static List<(string Text, TextSpan Span)> Of(string code)
        => [.. SyntaxFactory.ParseTokens(code, options: Options).SelectMany(Whole).SelectMany(Parts)];

    /// <summary>Where the tokens follow each other in a node.</summary>
    internal static IEnumerable<TextSpan> Find(List<(string Text, TextSpan Span)> code, SyntaxNode node)
    {
        List<(string Text, TextSpan Span)> all = [.. node.DescendantTokens().SelectMany(Parts)];
        for (int first = 0; code.Count > 0 && first + code.Count <= all.Count; first++)
        {
            int same = 0;
            while (same < code.Count && all[first + same].Text == code[same].Text)
            {
                same++;
            }

            if (same == code.Count)
            {
                yield return TextSpan.FromBounds(all[first].Span.Start, all[first + same - 1].Span.End);
            }
        }
    }

    /// <summary>The lexer alone leaves an interpolated string in one piece; the parser takes it apart.</summary>
    private static IEnumerable<SyntaxToken> Whole(SyntaxToken token)
        => token.Text.StartsWith('$') ? SyntaxFactory.ParseExpression(token.Text, options: Options).DescendantTokens() : [token];

    /// <summary>Whether angle brackets and dots are joined depends on what is around them: each counts alone.</summary>
    private static IEnumerable<(string Text, TextSpan Span)> Parts(SyntaxToken token)
        => token.Text is ['>', _, ..] or ".."
            ? token.Text.Select((sign, at) => (sign.ToString(), new TextSpan(token.SpanStart + at, 1)))
            : token.Span.IsEmpty ? [] : [(token.Text, token.Span)];
}

using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ioxide.Docs.Tests;

/// <summary>A part of a program, cut into pieces that each know the lines they come from, wherever they move.</summary>
internal sealed class SnippetPart
{
    private readonly CompilationUnitSyntax _root;
    private readonly string _file;
    private readonly int _firstLine;

    internal SnippetPart(string text, string file, int firstLine)
    {
        _root = CSharpSyntaxTree.ParseText(text).GetCompilationUnitRoot();
        _file = file;
        _firstLine = firstLine;
    }

    internal IEnumerable<string> Usings => _root.Usings.Select(Piece);

    internal IEnumerable<string> Attributes => _root.AttributeLists.Select(Piece);

    internal IEnumerable<string> Statements => _root.Members.Where(static member => !IsType(member)).Select(Piece);

    internal IEnumerable<string> Types => _root.Members.Where(IsType).Select(Piece);

    private static bool IsType(MemberDeclarationSyntax member) => member is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax;

    private string Piece(CSharpSyntaxNode node)
        => $"#line {_firstLine + node.SyntaxTree.GetLineSpan(node.FullSpan).StartLinePosition.Line} \"{_file}\"\n{node.ToFullString()}";
}

using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ioxide.Mutation;

/// <summary>What the catalogues call the members of a source file: the names of the types around it and its own, with dots between.</summary>
/// <remarks>
/// Type parameters are left out and overloads have one name together. A type has the name without a member. What has no name of its own is
/// <c>Type.new</c> (constructors), <c>Type.this</c> (indexers), <c>Type.operator</c> (operators and conversions), <c>Type.~</c> (finalizers).
/// </remarks>
internal static class MemberNames
{
    /// <summary>The members of a file by their names, types among them.</summary>
    internal static ILookup<string, SyntaxNode> Of(SyntaxNode root)
        => root.DescendantNodes(static node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax or TypeDeclarationSyntax)
            .OfType<MemberDeclarationSyntax>()
            .Where(static node => node is not BaseNamespaceDeclarationSyntax)
            .SelectMany(static node => OwnNames(node).Select(name => (Name: string.Join('.', [.. TypesAround(node), name]), Node: (SyntaxNode)node)))
            .ToLookup(static each => each.Name, static each => each.Node, StringComparer.Ordinal);

    private static IEnumerable<string> TypesAround(SyntaxNode node)
        => node.Ancestors().OfType<BaseTypeDeclarationSyntax>().SelectMany(OwnNames).Reverse();

    private static IEnumerable<string> OwnNames(MemberDeclarationSyntax node) => node switch
    {
        ExtensionBlockDeclarationSyntax => [],
        BaseTypeDeclarationSyntax type => [type.Identifier.ValueText],
        DelegateDeclarationSyntax type => [type.Identifier.ValueText],
        MethodDeclarationSyntax method => [method.Identifier.ValueText],
        PropertyDeclarationSyntax property => [property.Identifier.ValueText],
        EventDeclarationSyntax named => [named.Identifier.ValueText],
        BaseFieldDeclarationSyntax field => field.Declaration.Variables.Select(static variable => variable.Identifier.ValueText),
        ConstructorDeclarationSyntax => ["new"],
        IndexerDeclarationSyntax => ["this"],
        OperatorDeclarationSyntax or ConversionOperatorDeclarationSyntax => ["operator"],
        DestructorDeclarationSyntax => ["~"],
        _ => [],
    };
}

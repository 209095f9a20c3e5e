using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;
using Microsoft.CodeAnalysis.Simplification;

namespace Ioxide.Analyzers;

/// <summary>Awaits what a handler blocks for, and makes the handler async where it is not.</summary>
/// <remarks>
/// Offered where the change is local: in async functions, and in functions that return no task yet. Not inside <c>lock</c>, where nothing can be
/// awaited, and not where a call has no asynchronous form.
/// </remarks>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(BlockingCallFixes))]
[Shared]
public sealed class BlockingCallFixes : CodeFixProvider
{
    private const string Title = "Await it";
    private const string TaskType = "global::System.Threading.Tasks.Task";

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ImmutableArray.Create("IOX0001", "IOX0002", "IOX0003");

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        if (await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false) is not { } root
            || await context.Document.GetSemanticModelAsync(context.CancellationToken).ConfigureAwait(false) is not { } model)
        {
            return;
        }

        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            if (root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true) is ExpressionSyntax expression
                && Handlers.FunctionOf(expression) is { } function
                && CanAwait(expression, function, model, context.CancellationToken)
                && Awaited(expression, diagnostic.Id, model) is { } awaited)
            {
                context.RegisterCodeFix(
                    CodeAction.Create(Title, _ => Task.FromResult(Apply(context.Document, root, expression, awaited, function, model)), Title),
                    diagnostic);
            }
        }
    }

    private static bool CanAwait(ExpressionSyntax expression, SyntaxNode function, SemanticModel model, CancellationToken cancellationToken)
        => !expression.Ancestors().TakeWhile(node => node != function).Any(static node => node is LockStatementSyntax)
            && function is not (AccessorDeclarationSyntax or ConstructorDeclarationSyntax)
            && Handlers.SymbolOf(function, model, cancellationToken) is { } symbol
            && (symbol.IsAsync || symbol.ReturnType.Name is not ("Task" or "ValueTask"));

    /// <summary>What is awaited instead, or null where there is none.</summary>
    private static ExpressionSyntax? Awaited(ExpressionSyntax expression, string id, SemanticModel model)
    {
        if (id == "IOX0001")
        {
            return BlockingCalls.TaskOf(expression);
        }

        if (expression is not InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member } call)
        {
            return null;
        }

        if (id == "IOX0002")
        {
            return SyntaxFactory.InvocationExpression(
                SyntaxFactory.ParseExpression(TaskType + ".Delay").WithAdditionalAnnotations(Simplifier.Annotation), call.ArgumentList);
        }

        string name = member.Name.Identifier.ValueText + "Async";
        return model.GetTypeInfo(member.Expression).Type is { } type && !model.LookupSymbols(expression.SpanStart, type, name).IsEmpty
            ? call.WithExpression(member.WithName(SyntaxFactory.IdentifierName(name)))
            : null;
    }

    private static Document Apply(
        Document document, SyntaxNode root, ExpressionSyntax expression, ExpressionSyntax awaited, SyntaxNode function, SemanticModel model)
    {
        ExpressionSyntax replacement = SyntaxFactory.AwaitExpression(awaited.WithoutTrivia());
        if (expression.Parent is MemberAccessExpressionSyntax or ElementAccessExpressionSyntax or PostfixUnaryExpressionSyntax
            or ConditionalAccessExpressionSyntax)
        {
            replacement = SyntaxFactory.ParenthesizedExpression(replacement);
        }

        SyntaxNode changed = function.ReplaceNode(expression, replacement.WithTriviaFrom(expression).WithAdditionalAnnotations(Formatter.Annotation));
        bool isAsync = Handlers.SymbolOf(function, model, CancellationToken.None) is { IsAsync: true };
        return document.WithSyntaxRoot(root.ReplaceNode(function, isAsync ? changed : MakeAsync(changed)));
    }

    private static SyntaxNode MakeAsync(SyntaxNode function)
    {
        SyntaxToken word = SyntaxFactory.Token(SyntaxKind.AsyncKeyword).WithTrailingTrivia(SyntaxFactory.Space);
        return function switch
        {
            AnonymousFunctionExpressionSyntax lambda => lambda.WithoutLeadingTrivia()
                .WithModifiers(lambda.WithoutLeadingTrivia().Modifiers.Add(word)).WithLeadingTrivia(lambda.GetLeadingTrivia()),
            LocalFunctionStatementSyntax local => local.WithModifiers(Async(local, local.Modifiers)).WithReturnType(TaskOf(local.ReturnType)),
            MethodDeclarationSyntax method => method.WithModifiers(Async(method, method.Modifiers)).WithReturnType(TaskOf(method.ReturnType)),
            _ => function,
        };

        SyntaxTokenList Async(SyntaxNode declaration, SyntaxTokenList modifiers)
            => modifiers.Add(word.WithLeadingTrivia(modifiers.Count == 0 ? declaration.GetLeadingTrivia() : default));
    }

    private static TypeSyntax TaskOf(TypeSyntax type)
    {
        bool isVoid = type is PredefinedTypeSyntax { Keyword.RawKind: (int)SyntaxKind.VoidKeyword };
        return SyntaxFactory.ParseTypeName(isVoid ? TaskType : $"{TaskType}<{type.WithoutTrivia()}>")
            .WithTrailingTrivia(type.GetTrailingTrivia()).WithAdditionalAnnotations(Simplifier.Annotation);
    }
}

using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ioxide.Analyzers;

/// <summary>Warns where a handler blocks its thread, which is a reactor's: IOX0001 to IOX0003.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingCallAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Rules.WaitsForTask, Rules.Sleeps, Rules.SynchronousBody);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSyntaxNodeAction(
            static node => Report(node), SyntaxKind.SimpleMemberAccessExpression, SyntaxKind.InvocationExpression);
        context.RegisterSyntaxNodeAction(static node => ReportInHandlerOf(node), SyntaxKind.Argument);
    }

    private static void Report(SyntaxNodeAnalysisContext context)
    {
        var expression = (ExpressionSyntax)context.Node;
        if (BlockingCalls.Describe(expression, context.SemanticModel, context.CancellationToken) is { } found
            && Handlers.FunctionOf(expression) is { } function
            && Handlers.IsHandler(function, context.SemanticModel, context.CancellationToken))
        {
            context.ReportDiagnostic(found);
        }
    }

    /// <summary>A function of the same file that is passed by its name, and is no handler by what it is.</summary>
    private static void ReportInHandlerOf(SyntaxNodeAnalysisContext context)
    {
        ExpressionSyntax argument = ((ArgumentSyntax)context.Node).Expression;
        if (argument is not (IdentifierNameSyntax or MemberAccessExpressionSyntax)
            || MethodOf(context.SemanticModel.GetSymbolInfo(argument, context.CancellationToken)) is not { } method
            || Handlers.RegistrationOf(argument, context.SemanticModel, context.CancellationToken) is not { } call
            || Handlers.IsForPool(call)
            || Handlers.IsForPool(method))
        {
            return;
        }

        foreach (SyntaxNode function in method.DeclaringSyntaxReferences.Select(reference => reference.GetSyntax(context.CancellationToken)))
        {
            if (function.SyntaxTree != argument.SyntaxTree || Handlers.IsHandler(function, context.SemanticModel, context.CancellationToken))
            {
                continue;
            }

            foreach (ExpressionSyntax expression in function.DescendantNodes().OfType<ExpressionSyntax>())
            {
                if (Handlers.FunctionOf(expression) == function
                    && BlockingCalls.Describe(expression, context.SemanticModel, context.CancellationToken) is { } found)
                {
                    context.ReportDiagnostic(found);
                }
            }
        }
    }

    /// <summary>A method that is converted to <see cref="Delegate"/> is the only candidate, and not the symbol.</summary>
    private static IMethodSymbol? MethodOf(SymbolInfo info)
        => (info.Symbol ?? (info.CandidateSymbols.Length == 1 ? info.CandidateSymbols[0] : null)) as IMethodSymbol;
}

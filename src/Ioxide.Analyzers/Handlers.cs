using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ioxide.Analyzers;

/// <summary>Says which functions are handlers: code that runs on a reactor, unless its endpoint is marked with <c>RunOnThreadPool</c>.</summary>
/// <remarks>
/// A handler is an async function, a function that takes a request or a connection, one that is passed to <c>Map*</c>, <c>Run</c>,
/// <c>Use*</c> or <c>ListenAsync</c>, or an action of a controller. The program's entry point is none.
/// </remarks>
internal static class Handlers
{
    private const string PoolMark = "RunOnThreadPool";

    private static readonly ImmutableHashSet<string> s_parameters = ImmutableHashSet.Create(
        "HttpContext", "HttpRequest", "HttpResponse", "ConnectionContext", "RingConnection");

    /// <summary>The function whose body has this node, or null at the top level of a program.</summary>
    internal static SyntaxNode? FunctionOf(SyntaxNode node)
        => node.Ancestors().FirstOrDefault(static parent => parent
            is AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax or BaseMethodDeclarationSyntax or AccessorDeclarationSyntax);

    /// <summary>Whether the function is a handler by what it is, or where it is passed.</summary>
    internal static bool IsHandler(SyntaxNode function, SemanticModel model, CancellationToken cancellationToken)
        => SymbolOf(function, model, cancellationToken) is { } symbol
            && !IsEntryPoint(symbol, model.Compilation, cancellationToken)
            && !IsForPool(symbol)
            && (function is not AnonymousFunctionExpressionSyntax lambda || RegistrationOf(lambda, model, cancellationToken) is not { } call
                ? symbol.IsAsync || TakesRequest(symbol) || IsAction(symbol)
                : !IsForPool(call));

    /// <summary>The call that registers a handler, if the expression is an argument of one.</summary>
    internal static InvocationExpressionSyntax? RegistrationOf(SyntaxNode expression, SemanticModel model, CancellationToken cancellationToken)
        => expression.Parent is ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax call }
            && model.GetSymbolInfo(call, cancellationToken).Symbol is IMethodSymbol method
            && Registers(method)
                ? call
                : null;

    /// <summary>Whether <c>RunOnThreadPool()</c> follows the call that registers a handler.</summary>
    internal static bool IsForPool(InvocationExpressionSyntax call)
    {
        ExpressionSyntax chain = call;
        while (chain.Parent is MemberAccessExpressionSyntax { Parent: InvocationExpressionSyntax next } member && member.Expression == chain)
        {
            if (member.Name.Identifier.ValueText == PoolMark)
            {
                return true;
            }

            chain = next;
        }

        return false;
    }

    internal static bool IsForPool(IMethodSymbol method)
        => method.GetAttributes().Concat(method.ContainingType?.GetAttributes() ?? ImmutableArray<AttributeData>.Empty)
            .Any(static attribute => attribute.AttributeClass?.Name == PoolMark + "Attribute");

    internal static IMethodSymbol? SymbolOf(SyntaxNode function, SemanticModel model, CancellationToken cancellationToken)
        => (function is AnonymousFunctionExpressionSyntax
            ? model.GetSymbolInfo(function, cancellationToken).Symbol
            : model.GetDeclaredSymbol(function, cancellationToken)) as IMethodSymbol;

    private static bool Registers(IMethodSymbol method)
    {
        string place = method.ContainingType.ToDisplayString();
        return place.StartsWith("Microsoft.AspNetCore.Builder.", StringComparison.Ordinal)
            ? method.Name is "Run" or "Use" || method.Name.StartsWith("Map", StringComparison.Ordinal)
            : place == "Ioxide.ReactorGroup" && method.Name == "ListenAsync";
    }

    private static bool TakesRequest(IMethodSymbol method)
        => method.Parameters.Any(static parameter => s_parameters.Contains(parameter.Type.Name));

    private static bool IsAction(IMethodSymbol method)
    {
        if (method.DeclaredAccessibility != Accessibility.Public || method.MethodKind != MethodKind.Ordinary || method.IsStatic
            || method.GetAttributes().Any(static attribute => attribute.AttributeClass?.Name == "NonActionAttribute"))
        {
            return false;
        }

        for (INamedTypeSymbol? type = method.ContainingType; type is not null; type = type.BaseType)
        {
            if (type.Name == "ControllerBase"
                || type.GetAttributes().Any(static attribute => attribute.AttributeClass?.Name == "ApiControllerAttribute"))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsEntryPoint(IMethodSymbol method, Compilation compilation, CancellationToken cancellationToken)
        => SymbolEqualityComparer.Default.Equals(method, compilation.GetEntryPoint(cancellationToken));
}

using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ioxide.Analyzers;

/// <summary>Recognizes calls that block their thread.</summary>
internal static class BlockingCalls
{
    /// <summary>The warning about an expression of a handler; null where it does not block.</summary>
    internal static Diagnostic? Describe(ExpressionSyntax expression, SemanticModel model, CancellationToken cancellationToken)
        => Find(expression, model, cancellationToken) is { } found ? Diagnostic.Create(found.Rule, expression.GetLocation(), found.Name) : null;

    private static (DiagnosticDescriptor Rule, string Name)? Find(
        ExpressionSyntax expression, SemanticModel model, CancellationToken cancellationToken)
        => expression switch
        {
            MemberAccessExpressionSyntax { Name.Identifier.ValueText: "Result" } member when member.Parent is not InvocationExpressionSyntax
                => IsTask(model.GetTypeInfo(member.Expression, cancellationToken).Type)
                && !IsOver(member.Expression, member, model, cancellationToken)
                    ? (Rules.WaitsForTask, ".Result")
                    : null,
            InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax member } call => OfCall(call, member, model, cancellationToken),
            _ => null,
        };

    /// <summary>The task that an expression of the rule IOX0001 waits for.</summary>
    internal static ExpressionSyntax TaskOf(ExpressionSyntax expression) => expression switch
    {
        MemberAccessExpressionSyntax member => member.Expression,
        InvocationExpressionSyntax
        {
            Expression: MemberAccessExpressionSyntax
            {
                Name.Identifier.ValueText: "GetResult",
                Expression: InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax awaiter },
            },
        } => awaiter.Expression,
        InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax wait } => wait.Expression,
        _ => expression,
    };

    private static (DiagnosticDescriptor Rule, string Name)? OfCall(
        InvocationExpressionSyntax call, MemberAccessExpressionSyntax member, SemanticModel model, CancellationToken cancellationToken)
    {
        string name = member.Name.Identifier.ValueText;
        switch (name)
        {
            case "Wait" when IsTask(model.GetTypeInfo(member.Expression, cancellationToken).Type):
                return IsOver(member.Expression, call, model, cancellationToken) ? null : (Rules.WaitsForTask, ".Wait()");
            case "GetResult" when member.Expression is InvocationExpressionSyntax
            {
                Expression: MemberAccessExpressionSyntax { Name.Identifier.ValueText: "GetAwaiter" } awaiter
            }:
                return IsTask(model.GetTypeInfo(awaiter.Expression, cancellationToken).Type)
                    && !IsOver(awaiter.Expression, call, model, cancellationToken)
                    ? (Rules.WaitsForTask, ".GetAwaiter().GetResult()")
                    : null;
            case "Sleep" when model.GetSymbolInfo(call, cancellationToken).Symbol is IMethodSymbol method
                && method.ContainingType.ToDisplayString() == "System.Threading.Thread":
                return (Rules.Sleeps, "Thread.Sleep");
            case "Read" or "ReadByte" or "ReadExactly" or "ReadAtLeast" or "CopyTo" or "Write" or "WriteByte" or "Flush"
                when IsBody(member.Expression, model, cancellationToken):
                return (Rules.SynchronousBody, name);
            case "ReadToEnd" or "ReadLine" or "Read" or "ReadBlock" when ReadsBody(member.Expression, model, cancellationToken):
                return (Rules.SynchronousBody, name);
            default:
                return null;
        }
    }

    private static bool IsTask(ITypeSymbol? type)
        => type is { Name: "Task" or "ValueTask" } && type.ContainingNamespace.ToDisplayString() == "System.Threading.Tasks";

    /// <summary>The task was awaited before, or the code has looked whether it is completed.</summary>
    private static bool IsOver(ExpressionSyntax task, SyntaxNode use, SemanticModel model, CancellationToken cancellationToken)
    {
        if (model.GetSymbolInfo(task, cancellationToken).Symbol is not (ILocalSymbol or IParameterSymbol)
            || Handlers.FunctionOf(use) is not { } function)
        {
            return false;
        }

        string name = task.ToString();
        return function.DescendantNodes().Where(node => node.SpanStart < use.SpanStart).Any(node => node switch
        {
            AwaitExpressionSyntax awaited => awaited.DescendantNodes().OfType<IdentifierNameSyntax>().Any(word => word.Identifier.ValueText == name),
            MemberAccessExpressionSyntax member => member.Expression.ToString() == name
                && member.Name.Identifier.ValueText.StartsWith("IsCompleted", StringComparison.Ordinal),
            _ => false,
        });
    }

    /// <summary><c>Request.Body</c> or <c>Response.Body</c>.</summary>
    private static bool IsBody(ExpressionSyntax expression, SemanticModel model, CancellationToken cancellationToken)
        => model.GetSymbolInfo(expression, cancellationToken).Symbol
            is IPropertySymbol { Name: "Body", ContainingType.Name: "HttpRequest" or "HttpResponse" };

    /// <summary>A reader that was made over a body, here or where the local variable is declared.</summary>
    private static bool ReadsBody(ExpressionSyntax reader, SemanticModel model, CancellationToken cancellationToken)
    {
        if (model.GetSymbolInfo(reader, cancellationToken).Symbol is ILocalSymbol local)
        {
            return local.DeclaringSyntaxReferences.Any(declaration
                => declaration.GetSyntax(cancellationToken) is VariableDeclaratorSyntax { Initializer.Value: { } made }
                    && declaration.SyntaxTree == reader.SyntaxTree && ReadsBody(made, model, cancellationToken));
        }

        return reader is BaseObjectCreationExpressionSyntax { ArgumentList.Arguments: { Count: > 0 } arguments }
            && model.GetTypeInfo(reader, cancellationToken).Type?.Name == "StreamReader"
            && IsBody(arguments[0].Expression, model, cancellationToken);
    }
}

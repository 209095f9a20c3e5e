using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Ioxide.Rules;

/// <summary>Says which delegates are the application's.</summary>
internal static class Delegates
{
    private const int MaxDepth = 16;

    /// <summary>The symbol that holds a delegate of the application, or null where the value is something else.</summary>
    internal static ISymbol? OfApplication(IOperation? value, CancellationToken cancellationToken, int depth = 0)
    {
        return depth == MaxDepth ? null : value switch
        {
            IConversionOperation conversion => Next(conversion.Operand),
            IDelegateCreationOperation creation => Next(creation.Target),
            IMethodReferenceOperation { Method.MethodKind: MethodKind.DelegateInvoke } method => Next(method.Instance),
            ICoalesceOperation coalesce => Next(coalesce.Value) ?? Next(coalesce.WhenNull),
            IConditionalOperation conditional => Next(conditional.WhenTrue) ?? Next(conditional.WhenFalse),
            ISwitchExpressionOperation choice => choice.Arms.Select(arm => Next(arm.Value)).FirstOrDefault(static symbol => symbol is not null),
            IBinaryOperation { Type.TypeKind: TypeKind.Delegate } both => Next(both.LeftOperand) ?? Next(both.RightOperand),
            IAssignmentOperation assignment => Next(assignment.Value),
            IConditionalAccessInstanceOperation => Next(AccessOf(value)?.Operation),
            ILocalReferenceOperation local => Next(InitialValueOf(local, cancellationToken)),
            IParameterReferenceOperation parameter => IsOfApplication(parameter.Parameter.OriginalDefinition) ? parameter.Parameter : null,
            IMemberReferenceOperation member => IsOfApplication(member.Member.OriginalDefinition) ? member.Member : null,
            _ => null,
        };

        ISymbol? Next(IOperation? operation) => OfApplication(operation, cancellationToken, depth + 1);
    }

    /// <summary>
    /// It is marked, applications can set it, or its type is one that applications write. What configures options runs while a host is built,
    /// on no reactor.
    /// </summary>
    internal static bool IsOfApplication(ISymbol symbol)
    {
        ITypeSymbol? type = symbol switch
        {
            IParameterSymbol parameter => parameter.Type,
            IFieldSymbol field => field.Type,
            IPropertySymbol property => property.Type,
            IEventSymbol @event => @event.Type,
            _ => null,
        };
        if (type is not { TypeKind: TypeKind.Delegate } || !IsOurs(symbol.ContainingAssembly))
        {
            return false;
        }

        if (Marks.IsMarked(symbol) || (IsOurs(type.ContainingAssembly) && Marks.IsPublic(type)))
        {
            return true;
        }

        if (Marks.IsForServers(symbol))
        {
            return false;
        }

        return symbol is IParameterSymbol
            ? symbol.ContainingSymbol is IMethodSymbol { MethodKind: not MethodKind.LambdaMethod } method && Marks.IsPublic(method)
                && !symbol.Name.StartsWith("configure", StringComparison.Ordinal)
            : Marks.IsPublic(symbol);
    }

    internal static bool IsOurs(IAssemblySymbol? assembly)
        => assembly is not null && (assembly.Name == "Ioxide" || assembly.Name.StartsWith("Ioxide.", StringComparison.Ordinal));

    private static IConditionalAccessOperation? AccessOf(IOperation instance)
    {
        for (IOperation? operation = instance.Parent; operation is not null; operation = operation.Parent)
        {
            if (operation is IConditionalAccessOperation access && !access.Operation.Syntax.Span.Contains(instance.Syntax.SpanStart - 1))
            {
                return access;
            }
        }

        return null;
    }

    private static IOperation? InitialValueOf(ILocalReferenceOperation local, CancellationToken cancellationToken)
    {
        SyntaxNode? declared = local.Local.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax(cancellationToken);
        SyntaxNode? value = declared is VariableDeclaratorSyntax declarator
            ? declarator.Initializer?.Value
            : declared?.AncestorsAndSelf().OfType<IsPatternExpressionSyntax>().FirstOrDefault()?.Expression;
        return value is null ? null : local.SemanticModel?.GetOperation(value, cancellationToken);
    }
}

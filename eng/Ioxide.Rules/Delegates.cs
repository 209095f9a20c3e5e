using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Ioxide.Rules;

/// <summary>Says which delegates are the application's.</summary>
internal static class Delegates
{
    /// <summary>The symbol that holds a delegate of the application, or null where the value is something else.</summary>
    internal static ISymbol? OfApplication(IOperation? value, CancellationToken cancellationToken)
    {
        for (int depth = 0; value is not null && depth < 16; depth++)
        {
            switch (value)
            {
                case IConversionOperation conversion:
                    value = conversion.Operand;
                    break;
                case ICoalesceOperation coalesce:
                    value = coalesce.Value;
                    break;
                case IConditionalAccessInstanceOperation:
                    value = AccessOf(value)?.Operation;
                    break;
                case ILocalReferenceOperation local:
                    value = InitialValueOf(local, cancellationToken);
                    break;
                case IParameterReferenceOperation parameter:
                    return IsOfApplication(parameter.Parameter.OriginalDefinition) ? parameter.Parameter : null;
                case IMemberReferenceOperation member:
                    return IsOfApplication(member.Member.OriginalDefinition) ? member.Member : null;
                default:
                    return null;
            }
        }

        return null;
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

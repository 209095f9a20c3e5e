using Microsoft.CodeAnalysis;

namespace Ioxide.Rules;

/// <summary>What the code says of itself.</summary>
internal static class Marks
{
    /// <summary>Whether the symbol, or what contains it, is marked with <c>[ApplicationSide]</c>.</summary>
    internal static bool IsApplicationSide(ISymbol? symbol)
    {
        for (; symbol is not null and not INamespaceSymbol; symbol = symbol.ContainingSymbol)
        {
            if (IsMarked(symbol) || (symbol is IMethodSymbol { AssociatedSymbol: { } member } && IsMarked(member)))
            {
                return true;
            }
        }

        return false;
    }

    internal static bool IsMarked(ISymbol symbol) => symbol.GetAttributes().Any(static mark => mark.AttributeClass?.Name == "ApplicationSideAttribute");

    /// <summary>Whether it is of the surface for servers of protocols (IOX1001): their code there is the runtime's side, as the packages' is.</summary>
    internal static bool IsForServers(ISymbol? symbol)
    {
        for (; symbol is not null and not INamespaceSymbol; symbol = symbol.ContainingSymbol)
        {
            if (symbol.GetAttributes().Any(static mark => mark.AttributeClass?.Name == "ExperimentalAttribute"))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether applications can call it.</summary>
    internal static bool IsPublic(ISymbol symbol)
    {
        for (ISymbol? part = symbol; part is not null and not INamespaceSymbol; part = part.ContainingSymbol)
        {
            if (part.DeclaredAccessibility is not (Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal))
            {
                return false;
            }
        }

        return true;
    }
}

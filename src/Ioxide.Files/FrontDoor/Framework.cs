using System.Reflection;

namespace Ioxide.Files;

/// <summary>Distinguishes types of ASP.NET Core, whose behaviour is known, from those of applications and other packages.</summary>
internal static class Framework
{
    private static readonly byte[] s_key = typeof(RouteEndpoint).Assembly.GetName().GetPublicKeyToken() ?? [];

    /// <summary>Whether the object's very type is the framework's; a type that derives from one of the framework's is not.</summary>
    internal static bool Owns(object value)
    {
        AssemblyName name = value.GetType().Assembly.GetName();
        return name.Name?.StartsWith("Microsoft.AspNetCore.", StringComparison.Ordinal) == true
            && s_key.AsSpan().SequenceEqual(name.GetPublicKeyToken());
    }

    /// <summary>Whether the object's very type is one of routing's own.</summary>
    internal static bool RoutingOwns(object value) => value.GetType().Assembly == typeof(RouteEndpoint).Assembly;
}

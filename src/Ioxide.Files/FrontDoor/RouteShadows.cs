using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;

namespace Ioxide.Files;

/// <summary>Paths that routing would give to other endpoints than the files'.</summary>
/// <remarks>
/// Endpoints without parameters shadow their own path. Those with parameters shadow all that lies below the literal segments in
/// front of the first: more than they match, but never less.
/// </remarks>
internal sealed class RouteShadows
{
    private readonly HashSet<string>.AlternateLookup<ReadOnlySpan<byte>> _paths;
    private readonly byte[][] _prefixes;

    internal RouteShadows(IReadOnlyList<Endpoint> endpoints)
    {
        var paths = new HashSet<string>(ShadowComparer.Instance);
        List<byte[]> prefixes = [];
        foreach (RouteEndpoint endpoint in endpoints.OfType<RouteEndpoint>())
        {
            if (endpoint.Metadata.GetMetadata<FilesEndpoint>() is null && Wins(endpoint))
            {
                string literal = LiteralOf(endpoint.RoutePattern, out bool isWhole);
                if (isWhole)
                {
                    paths.Add(literal);
                    paths.Add(literal + "/");
                }
                else
                {
                    prefixes.Add(Encoding.ASCII.GetBytes(PathText.ToTarget(literal + "/")));
                }
            }
        }

        _paths = paths.GetAlternateLookup<ReadOnlySpan<byte>>();
        _prefixes = [.. prefixes];
    }

    internal bool Contains(ReadOnlySpan<byte> target)
    {
        foreach (byte[] prefix in _prefixes)
        {
            if (target.Length >= prefix.Length && Ascii.EqualsIgnoreCase(target[..prefix.Length], prefix))
            {
                return true;
            }
        }

        return _paths.Contains(target);
    }

    /// <summary>A lower order wins; with the same order, anything wins over the files' own catch-all but another one.</summary>
    private static bool Wins(RouteEndpoint endpoint)
        => endpoint.Order < 0 || (endpoint.Order == 0 && !(IsCatchAll(endpoint.RoutePattern) && endpoint.RoutePattern.PathSegments.Count == 1));

    private static bool IsCatchAll(RoutePattern pattern)
        => pattern.PathSegments is [.., { Parts: [RoutePatternParameterPart { IsCatchAll: true }] }];

    private static string LiteralOf(RoutePattern pattern, out bool isWhole)
    {
        string path = "";
        foreach (RoutePatternPathSegment segment in pattern.PathSegments)
        {
            if (segment.Parts is not [RoutePatternLiteralPart literal])
            {
                isWhole = false;
                return path;
            }

            path += "/" + literal.Content;
        }

        isWhole = true;
        return path;
    }

    /// <summary>As <see cref="TargetComparer"/>, without looking at case: that is how routing compares.</summary>
    private sealed class ShadowComparer : IEqualityComparer<string>, IAlternateEqualityComparer<ReadOnlySpan<byte>, string>
    {
        internal static readonly ShadowComparer Instance = new();

        public bool Equals(string? x, string? y) => string.Equals(x, y, StringComparison.OrdinalIgnoreCase);

        public int GetHashCode(string obj) => GetHashCode(Encoding.ASCII.GetBytes(obj));

        public bool Equals(ReadOnlySpan<byte> alternate, string other) => Ascii.EqualsIgnoreCase(alternate, other);

        public int GetHashCode(ReadOnlySpan<byte> alternate)
        {
            int hash = alternate.Length;
            foreach (byte letter in alternate)
            {
                hash = (hash * 31) + (letter | 0x20);
            }

            return hash;
        }

        public string Create(ReadOnlySpan<byte> alternate) => Encoding.ASCII.GetString(alternate);
    }
}

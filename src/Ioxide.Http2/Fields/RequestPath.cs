using System.Buffers;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace Ioxide.Http2;

/// <summary>
/// Converts a target's path into the one that routing sees, as Kestrel does: unescaped, except <c>%2F</c>, then without dot segments.
/// </summary>
internal static class RequestPath
{
    private static readonly SearchValues<char> s_notPrintable =
        SearchValues.Create([.. Enumerable.Range(0, 0x21).Concat(Enumerable.Range(0x7F, 0x81)).Select(static code => (char)code)]);

    /// <summary>Whether a target consists of visible ASCII only.</summary>
    internal static bool IsTarget(string target)
        => !target.AsSpan().ContainsAny(s_notPrintable) && Ascii.IsValid(target);

    /// <summary>The path, or null if it is rejected because it contains <c>%00</c>.</summary>
    /// <param name="raw">Begins with a slash; visible ASCII; no query.</param>
    /// <param name="target">The whole target, returned if it equals the path.</param>
    internal static string? Decode(ReadOnlySpan<char> raw, string target)
    {
        bool isEscaped = raw.Contains('%');
        string path = raw.Length == target.Length ? target : raw.ToString();
        if (!isEscaped && !raw.Contains("/.", StringComparison.Ordinal))
        {
            return path;
        }

        if (raw.Contains("%00", StringComparison.Ordinal))
        {
            return null;
        }

        // The framework's own decoder is Kestrel's too.
        return WithoutDotSegments(isEscaped ? PathString.FromUriComponent(path).Value! : path);
    }

    /// <summary>Removes dot segments (RFC 3986, section 5.2.4).</summary>
    private static string WithoutDotSegments(string path)
    {
        StringBuilder written = new(path.Length);
        for (int read = 0; read < path.Length;)
        {
            int next = path.IndexOf('/', read + 1);
            bool isLast = next < 0;
            next = isLast ? path.Length : next;
            ReadOnlySpan<char> segment = path.AsSpan(read, next - read);
            if (segment is "/..")
            {
                int last = written.Length - 1;
                while (last > 0 && written[last] != '/')
                {
                    last--;
                }

                written.Length = Math.Max(0, last);
            }

            if (segment is not ("/." or "/.."))
            {
                written.Append(segment);
            }
            else if (isLast)
            {
                written.Append('/');
            }

            read = next;
        }

        return written.ToString();
    }
}

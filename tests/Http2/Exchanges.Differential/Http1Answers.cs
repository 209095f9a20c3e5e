using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>All that a server sent over one connection of HTTP/1.1, cut into answers.</summary>
/// <remarks>How much of a cut answer arrives is a matter of time and of the server's blocks of memory: it counts as cut, and so does none.</remarks>
internal sealed partial class Http1Answers(byte[] received, ProgramMiddleware middleware)
{
    private const string Cut = "cut";

    private static readonly string[] s_ofTime = ["Date", "Age"];

    /// <summary>The answers to a request of this method, and to a GET behind it.</summary>
    internal string Describe(string method)
    {
        try
        {
            return DescribeAll(method);
        }
        catch (InvalidDataException)
        {
            // An answer in chunks without its end may have another behind it, from stock Kestrel too.
            return Cut;
        }
    }

    private string DescribeAll(string method)
    {
        List<string> parts = [];
        bool isHead = method == "HEAD";
        for (ReadOnlyMemory<byte> rest = received; !rest.IsEmpty;)
        {
            if (!rest.Span.StartsWith("HTTP/1."u8) || rest.Span.IndexOf("\r\n\r\n"u8) < 0)
            {
                // Behind a 101, or of a cut head.
                byte[] timeless = Encoding.Latin1.GetBytes(Dates().Replace(Encoding.Latin1.GetString(rest.Span), "Date: "));
                parts.Add(ProgramAnswer.Describe(timeless, middleware));
                break;
            }

            if (RawResponse.TryRead(rest.Span, isHead, hasEnded: true, out int lengthBytes) is not { } response)
            {
                return Cut;
            }

            rest = rest[lengthBytes..];
            string[] fields = [.. response.Head.Fields.Where(static field => !s_ofTime.Contains(field.Key)).Select(static field => $"{field.Key}: {field.Value}")];
            parts.Add($"[{string.Join(", ", fields.Prepend(response.Head.FirstLine))}]");
            if (response.Status == 100 && fields.Length == 0)
            {
                continue;
            }

            if (response.Body.Length > 0)
            {
                parts.Add(ProgramAnswer.Describe(response.Body, middleware));
            }

            parts.AddRange([.. response.Trailers.Select(static trailer => $"trailer {trailer}"), "END"]);
            isHead = false;
        }

        return parts.Count == 0 ? Cut : string.Join(' ', parts);
    }

    [GeneratedRegex("Date: [A-Z][a-z]{2}, [^\r]* GMT")]
    private static partial Regex Dates();
}

using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>All that a server sent over one connection of HTTP/1.1, cut into answers.</summary>
/// <remarks>
/// The time of an answer is taken out of all that came: behind a head that is cut it may lie in what counts as a body. It keeps its length.
/// How much of a cut answer arrives is a matter of time and of the server's blocks of memory: it counts as cut, and so does none.
/// </remarks>
internal sealed partial class Http1Answers(byte[] received, ProgramMiddleware middleware)
{
    private const string Cut = "cut";

    private readonly byte[] _received = Encoding.Latin1.GetBytes(Times().Replace(Encoding.Latin1.GetString(received), ProgramAnswer.Now));

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

    /// <summary>Whether an answer that is no interim one has come, and is whole.</summary>
    internal static bool IsWhole(ReadOnlyMemory<byte> received, bool isHead)
    {
        try
        {
            while (RawResponse.TryRead(received.Span, isHead, hasEnded: false, out int lengthBytes) is { } response)
            {
                if (response.Status != 100 || response.Head.Fields.Count > 0)
                {
                    return true;
                }

                received = received[lengthBytes..];
            }

            return false;
        }
        catch (InvalidDataException)
        {
            return true;
        }
    }

    private string DescribeAll(string method)
    {
        List<string> parts = [];
        bool isHead = method == "HEAD";
        for (ReadOnlyMemory<byte> rest = _received; !rest.IsEmpty;)
        {
            if (!rest.Span.StartsWith("HTTP/1."u8) || rest.Span.IndexOf("\r\n\r\n"u8) < 0)
            {
                // Behind a 101, or of a cut head.
                parts.Add(ProgramAnswer.Describe(rest.ToArray(), middleware));
                break;
            }

            if (RawResponse.TryRead(rest.Span, isHead, hasEnded: true, out int lengthBytes) is not { } response)
            {
                return Cut;
            }

            rest = rest[lengthBytes..];
            string[] fields = [.. response.Head.Fields.Select(static field => $"{field.Key}: {field.Value}")];
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

    [GeneratedRegex(@"(?<=Date: )[A-Z][a-z]{2}, (?!01 Jan 1970)[^\r]{20} GMT|(?<=Age: )[0-9]+")]
    private static partial Regex Times();
}

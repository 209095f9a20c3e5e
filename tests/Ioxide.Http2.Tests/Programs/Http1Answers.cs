using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Http2.Tests;

/// <summary>All that a server sent over one connection of HTTP/1.1, cut into answers.</summary>
/// <remarks>How much of a cut answer arrives is a matter of time and of the server's blocks of memory: it counts as cut, and so does none.</remarks>
internal sealed partial class Http1Answers(byte[] received, ProgramMiddleware middleware)
{
    private const string Cut = "cut";

    private readonly byte[] _bytes = Encoding.Latin1.GetBytes(OfTime().Replace(Encoding.Latin1.GetString(received), ""));
    private readonly List<string> _parts = [];
    private int _at;

    /// <summary>The answers to a request of this method, and to a GET behind it.</summary>
    internal string Describe(string method)
    {
        CutIntoAnswers(method == "HEAD");
        return _parts.Count == 0 || _parts.Contains(Cut) ? Cut : string.Join(' ', _parts);
    }

    private void CutIntoAnswers(bool isHead)
    {
        while (_at < _bytes.Length)
        {
            int end = _bytes.AsSpan(_at).IndexOf("\r\n\r\n"u8);
            if (end < 0)
            {
                AddBytes(_bytes[_at..]);
                break;
            }

            string[] lines = Encoding.Latin1.GetString(_bytes, _at, end).Split("\r\n");
            _at += end + 4;
            _parts.Add($"[{string.Join(", ", lines)}]");
            if (lines is ["HTTP/1.1 100 Continue"])
            {
                continue;
            }

            if (!isHead && !lines[0].StartsWith("HTTP/1.1 204", StringComparison.Ordinal) && !lines[0].StartsWith("HTTP/1.1 304", StringComparison.Ordinal))
            {
                AddBody(lines);
            }

            _parts.Add("END");
            isHead = false;
        }
    }

    private void AddBody(string[] lines)
    {
        if (lines.Contains("Transfer-Encoding: chunked"))
        {
            AddChunks();
            return;
        }

        string? length = lines.FirstOrDefault(static line => line.StartsWith("Content-Length: ", StringComparison.Ordinal));
        int left = _bytes.Length - _at;
        int count = int.TryParse(length?[16..], CultureInfo.InvariantCulture, out int stated) ? stated : left;
        AddBytes(_bytes.AsSpan(_at, Math.Min(count, left)).ToArray());
        _at += Math.Min(count, left);
        if (count > left)
        {
            _parts.Add(Cut);
        }
    }

    private void AddChunks()
    {
        List<byte> body = [];
        while (true)
        {
            int end = _bytes.AsSpan(_at).IndexOf("\r\n"u8);
            if (end < 0 || !int.TryParse(Encoding.ASCII.GetString(_bytes, _at, end), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out int count)
                || _at + end + 4 + count > _bytes.Length)
            {
                AddBytes([.. body, .. _bytes[_at..]]);
                _parts.Add(Cut);
                _at = _bytes.Length;
                return;
            }

            _at += end + 2;
            if (count == 0)
            {
                AddBytes([.. body]);
                AddTrailers();
                return;
            }

            body.AddRange(_bytes.AsSpan(_at, count));
            _at += count + 2;
        }
    }

    private void AddTrailers()
    {
        while (true)
        {
            int end = _bytes.AsSpan(_at).IndexOf("\r\n"u8);
            string line = Encoding.Latin1.GetString(_bytes, _at, end < 0 ? _bytes.Length - _at : end);
            _at = end < 0 ? _bytes.Length : _at + end + 2;
            if (line.Length == 0)
            {
                return;
            }

            _parts.Add($"trailer {line}");
        }
    }

    private void AddBytes(byte[] body)
    {
        if (body.Length > 0)
        {
            _parts.Add(ProgramAnswer.Describe(body, middleware));
        }
    }

    [GeneratedRegex("(?<=\r\n)(?:Date|Age): [^\r]*\r\n")]
    private static partial Regex OfTime();
}

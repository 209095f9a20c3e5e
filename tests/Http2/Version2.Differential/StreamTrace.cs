using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>What a server sent on one stream, without what is another one each time: the date, and where DATA is cut.</summary>
internal sealed class StreamTrace
{
    private const int LongestShown = 400;

    private readonly List<string> _blocks = [];
    private readonly List<byte> _body = [];
    private Http2ErrorCode? _reset;

    internal bool IsOver { get; private set; }

    /// <summary>An interim answer is no part of it: whether the server says 100 depends on what has arrived (RFC 9110, section 10.1.1).</summary>
    internal void OnHeaders(Frame frame)
    {
        if (frame[":status"] == "100")
        {
            return;
        }

        string fields = string.Join(", ", frame.Fields!.Where(field => field.Name != "date").Select(field => $"{field.Name}: {field.Value}").Order());
        _blocks.Add(_body.Count > 0 ? $"trailers {fields}" : fields);
        IsOver = frame.EndsStream;
    }

    internal void OnData(Frame frame)
    {
        _body.AddRange(frame.Payload);
        IsOver = frame.EndsStream;
    }

    internal void OnReset(Http2ErrorCode code)
    {
        _reset = code;
        IsOver = true;
    }

    /// <summary>A stream that the server resets may have lost any part of its answer.</summary>
    public override string ToString()
    {
        if (_reset is not null)
        {
            return $"RST {_reset}";
        }

        string body = _body.Count <= LongestShown
            ? Encoding.UTF8.GetString(_body.ToArray())
            : $"{_body.Count} bytes {Convert.ToHexStringLower(SHA256.HashData(_body.ToArray()))}";
        return $"{string.Join(" | ", _blocks)} | {body}";
    }
}

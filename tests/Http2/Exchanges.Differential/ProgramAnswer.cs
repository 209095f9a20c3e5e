using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>What a client was answered to one request. Threads: the client's reader; any for <see cref="Ended"/>.</summary>
internal sealed class ProgramAnswer(string method, ProgramMiddleware middleware)
{
    /// <summary>Stands before the broken rule of an answer.</summary>
    internal const string Malformed = "\n  malformed: ";

    /// <summary>RFC 9110, section 15: a status has three digits.</summary>
    internal const string NoStatus = "a status that is none";

    /// <summary>RFC 9110, sections 6.4.1 and 15.3.6: no bytes come behind the head of an answer to HEAD, of a 204, of a 205 and of a 304.</summary>
    internal const string NoBytesAllowed = "bytes where none are allowed";

    /// <summary>RFC 9113, section 8.1.1: Content-Length is the sum of DATA.</summary>
    internal const string AnotherLength = "another length than that of the bytes";

    /// <summary>Stands for what the clock says in an answer's field; as long as a date.</summary>
    internal const string Now = "Www, dd Mmm yyyy hh:mm:ss GMT";

    private readonly List<string> _parts = [];
    private readonly List<byte> _data = [];
    private bool _isWhole;
    private string? _status;
    private string? _promised;
    private int _bytes;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _reset = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>By its last byte, a reset, or the connection's end.</summary>
    internal Task Ended => _ended.Task;

    /// <summary>What came before its own side's reset is a matter of time.</summary>
    internal bool IsOwnReset { get; private set; }

    /// <summary>By a reset, or the connection's end.</summary>
    internal Task WasReset => _reset.Task;

    /// <summary>Bytes of a body. Of the exception page only its first line: the rest names the server's own code.</summary>
    internal static string Describe(byte[] bytes, ProgramMiddleware middleware)
    {
        int end = middleware.HasFlag(ProgramMiddleware.ExceptionPage) ? bytes.AsSpan().IndexOf((byte)'\n') : -1;
        if (end >= 0)
        {
            return $"page '{Encoding.UTF8.GetString(bytes, 0, end).Trim()}'";
        }

        string text = bytes.Length <= 20 ? Encoding.Latin1.GetString(bytes) : Convert.ToHexStringLower(SHA256.HashData(bytes).AsSpan(0, 8));
        return string.Create(CultureInfo.InvariantCulture, $"{bytes.Length} bytes '{text}'");
    }

    internal void OnHeaders(Frame frame)
    {
        EndData();
        if (frame[":status"] is { } status)
        {
            _status = status;
            _promised = frame["content-length"];
        }

        IEnumerable<string> fields = frame.Fields!.Select(static field => $"{field.Name}: {(IsOfClock(field.Name, field.Value) ? Now : field.Value)}");
        _parts.Add($"[{string.Join(", ", fields.Order(StringComparer.Ordinal))}]");
        End(frame.EndsStream);
    }

    internal void OnData(byte[] bytes, bool isEnd)
    {
        _data.AddRange(bytes);
        _bytes += bytes.Length;
        if (isEnd)
        {
            EndData();
        }

        End(isEnd);
    }

    internal void OnReset(Http2ErrorCode code)
    {
        EndData();
        _parts.Add($"RST {code}");
        _reset.TrySetResult();
        _ended.TrySetResult();
    }

    /// <summary>Its own side reset the stream, and the server has read that.</summary>
    internal void OnOwnReset()
    {
        IsOwnReset = true;
        _reset.TrySetResult();
        _ended.TrySetResult();
    }

    internal void OnGoAway(Http2ErrorCode code) => _parts.Add($"GOAWAY {code}");

    internal void OnConnectionEnd()
    {
        EndData();
        if (!_ended.Task.IsCompleted)
        {
            _parts.Add("connection ended");
        }

        _reset.TrySetResult();
        _ended.TrySetResult();
    }

    /// <summary>How many of the body's bytes a reset overtakes is a matter of time.</summary>
    public override string ToString()
        => IsOwnReset ? "reset by the client"
            : string.Join(' ', _parts.Where(part => _isWhole || !_parts.Exists(IsReset) || !IsBytes(part)));

    /// <summary>A date of this year, or an age. Programs set other dates.</summary>
    private static bool IsOfClock(string name, string value)
        => name == "age" || (name == "date" && DateTimeOffset.TryParseExact(value, "r", CultureInfo.InvariantCulture, DateTimeStyles.None, out DateTimeOffset date) && date > DateTimeOffset.UnixEpoch);

    /// <summary>The rule of HTTP that the answer breaks, if it does. Of an answer that is cut off it can only be its status.</summary>
    internal string? BrokenRule
        => _status is not null && (_status.Length != 3 || !int.TryParse(_status, NumberStyles.None, CultureInfo.InvariantCulture, out int status) || status < 100) ? NoStatus
            : !_isWhole ? null
            : _bytes > 0 && (method == "HEAD" || _status is "204" or "205" or "304") ? NoBytesAllowed
            : method != "HEAD" && _status != "304" && _promised is not null && _promised != _bytes.ToString(CultureInfo.InvariantCulture) ? AnotherLength
            : null;

    private static bool IsReset(string part) => part.StartsWith("RST", StringComparison.Ordinal);

    private static bool IsBytes(string part) => part.Contains(" bytes '", StringComparison.Ordinal);

    private void EndData()
    {
        if (_data.Count > 0)
        {
            _parts.Add(Describe(_data.ToArray(), middleware));
            _data.Clear();
        }
    }

    private void End(bool isEnd)
    {
        if (isEnd)
        {
            _isWhole = true;
            _parts.Add("END");
            _ended.TrySetResult();
        }
    }
}

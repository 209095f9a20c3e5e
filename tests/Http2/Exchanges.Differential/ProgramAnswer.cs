using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>What a client was answered to one request. Threads: the client's reader; any for <see cref="Ended"/>.</summary>
internal sealed class ProgramAnswer(ProgramMiddleware middleware)
{
    private readonly List<string> _parts = [];
    private readonly List<byte> _data = [];
    private bool _isWhole;
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
        IEnumerable<string> fields = frame.Fields!.Where(static field => field.Name is not ("date" or "age")).Select(static field => $"{field.Name}: {field.Value}");
        _parts.Add($"[{string.Join(", ", fields.Order(StringComparer.Ordinal))}]");
        End(frame.EndsStream);
    }

    internal void OnData(byte[] bytes, bool isEnd)
    {
        _data.AddRange(bytes);
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

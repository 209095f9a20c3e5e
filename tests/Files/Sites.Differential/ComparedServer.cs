using System.Net;
using System.Net.Sockets;

namespace Ioxide.Files.Tests;

/// <summary>One of the servers of a comparison: asks it, with its own tags in place of the placeholders.</summary>
internal sealed class ComparedServer : IDisposable
{
    private static readonly string[] s_compared =
        ["Content-Length", "Content-Range", "Content-Encoding", "Content-Type", "Last-Modified", "Vary", "Allow"];

    private readonly EndPoint _endPoint;
    private readonly Dictionary<string, string> _tags = [];
    private RawClient? _client;

    internal ComparedServer(EndPoint endPoint) => _endPoint = endPoint;

    internal async Task<RawResponse> AskAsync(GeneratedRequest request)
    {
        string key = $"{request.Path} {request.AcceptEncoding}";
        if (!_tags.TryGetValue(key, out string? tag))
        {
            RawResponse plain = await SendAsync(new GeneratedRequest(
                "GET", request.Path, request.AcceptEncoding, null, null, null, null, null, null), "");
            tag = _tags[key] = plain.Headers.GetValueOrDefault("ETag", "\"none\"");
        }

        return await SendAsync(request, tag);
    }

    /// <summary>Status, compared fields and body, as one text.</summary>
    internal static string Describe(RawResponse response)
    {
        string fields = string.Join("; ", s_compared.Where(response.Headers.ContainsKey)
            .Select(name => $"{name}: {(IsMultipart(response) && name.StartsWith("Content-", StringComparison.Ordinal) ? "*" : response.Headers[name])}"));
        string body = IsMultipart(response) ? "parts" : Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(response.Body))[..8];
        return $"{response.Status} [{fields}] {body}";
    }

    public void Dispose() => _client?.Dispose();

    private static bool IsMultipart(RawResponse response)
        => response.Headers.GetValueOrDefault("Content-Type", "").StartsWith("multipart/", StringComparison.Ordinal);

    private async Task<RawResponse> SendAsync(GeneratedRequest request, string tag)
    {
        bool isReused = _client is not null;
        RawResponse response;
        try
        {
            response = await SendOnceAsync(request, tag);
        }
        catch (Exception exception) when (isReused && exception is SocketException or EndOfStreamException)
        {
            // It had closed the connection after the answer before; a client asks again then.
            _client?.Dispose();
            _client = null;
            response = await SendOnceAsync(request, tag);
        }

        if (response.Headers.GetValueOrDefault("Connection") == "close")
        {
            _client?.Dispose();
            _client = null;
        }

        return response;
    }

    private async Task<RawResponse> SendOnceAsync(GeneratedRequest request, string tag)
    {
        _client ??= await RawClient.ConnectAsync(_endPoint);
        return await _client.AskAsync(request.ToText(tag));
    }
}

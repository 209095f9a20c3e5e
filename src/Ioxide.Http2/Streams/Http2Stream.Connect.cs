using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2;

/// <summary>Extended CONNECT (RFC 8441): a stream that becomes a tunnel for another protocol, such as WebSockets (RFC 8441, section 5).</summary>
/// <remarks>Until the application accepts it, the request has no body. A tunnel has no limit of size and no minimum rate of its requests.</remarks>
internal abstract partial class Http2Stream : IHttpExtendedConnectFeature, IHttpUpgradeFeature
{
    private string? _connectProtocol;
    private bool _isAccepted;

    public bool IsExtendedConnect => _connectProtocol is not null;

    string? IHttpExtendedConnectFeature.Protocol => _connectProtocol;

    /// <summary>HTTP/2 has no Upgrade (RFC 9113, section 8.6): extended CONNECT is in its place.</summary>
    bool IHttpUpgradeFeature.IsUpgradableRequest => false;

    Task<Stream> IHttpUpgradeFeature.UpgradeAsync()
        => throw new InvalidOperationException("The request cannot be upgraded: HTTP/2 has extended CONNECT in place of Upgrade.");

    /// <summary>A tunnel was asked for, and is not open.</summary>
    private bool IsTunnelClosed => IsExtendedConnect && !_isAccepted;

    /// <summary>Answers with the status and the fields of the response, and opens the tunnel.</summary>
    /// <exception cref="InvalidOperationException">It was not asked for, is open already, or its answer is sent or is no success.</exception>
    public async ValueTask<Stream> AcceptAsync()
    {
        if (!IsExtendedConnect)
        {
            throw new InvalidOperationException("The request is no extended CONNECT, and cannot be accepted as one.");
        }

        if (_isAccepted || HasStarted)
        {
            throw new InvalidOperationException("The request was accepted or answered already.");
        }

        if (StatusCode is < 200 or > 299)
        {
            throw new InvalidOperationException($"An extended CONNECT is accepted by a status of 200 to 299, not by {StatusCode}.");
        }

        _isAccepted = true;
        _ = await FlushAsync(CancellationToken.None).ConfigureAwait(true);
        return new TunnelStream(RequestBodyStream, ResponseBody);
    }

    private void BeginConnect()
    {
        _connectProtocol = null;
        _isAccepted = false;
    }
}

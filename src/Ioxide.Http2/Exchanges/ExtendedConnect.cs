using Microsoft.AspNetCore.Http.Features;

namespace Ioxide.Http2;

/// <summary>Extended CONNECT (RFC 8441): a stream that becomes a tunnel for another protocol, such as WebSockets.</summary>
/// <remarks>HTTP/2 has no Upgrade (RFC 9113, section 8.6): this is in its place.</remarks>
internal sealed class ExtendedConnect(HttpExchange exchange) : IHttpExtendedConnectFeature, IHttpUpgradeFeature
{
    /// <summary>The tunnel is open.</summary>
    internal bool IsAccepted { get; private set; }

    internal void Begin() => IsAccepted = false;

    public bool IsExtendedConnect => exchange.IsExtendedConnect;

    public string? Protocol => exchange.Request.ConnectProtocol;

    bool IHttpUpgradeFeature.IsUpgradableRequest => false;

    Task<Stream> IHttpUpgradeFeature.UpgradeAsync()
        => throw new InvalidOperationException("The request cannot be upgraded: HTTP/2 has extended CONNECT in place of Upgrade.");

    /// <summary>Answers with the status and the fields of the response, and opens the tunnel.</summary>
    /// <exception cref="InvalidOperationException">It was not asked for, is open already, or its answer is sent or is no success.</exception>
    public async ValueTask<Stream> AcceptAsync()
    {
        Answer answer = exchange.Answer;
        if (!IsExtendedConnect)
        {
            throw new InvalidOperationException("The request is no extended CONNECT, and cannot be accepted as one.");
        }

        if (IsAccepted || answer.HasStarted)
        {
            throw new InvalidOperationException("The request was accepted or answered already.");
        }

        if (answer.StatusCode is < 200 or > 299)
        {
            throw new InvalidOperationException($"An extended CONNECT is accepted by a status of 200 to 299, not by {answer.StatusCode}.");
        }

        IsAccepted = true;
        _ = await answer.FlushAsync(CancellationToken.None).ConfigureAwait(true);
        return new BodyStream(exchange, exchange.Body, answer);
    }
}

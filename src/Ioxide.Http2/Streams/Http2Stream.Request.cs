using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>The request: its received fields, checked, and as applications see them.</summary>
internal abstract partial class Http2Stream : IHttpRequestFeature, IHttpRequestLifetimeFeature, IHttpRequestIdentifierFeature,
    IRequestBodyPipeFeature, IHttpRequestBodyDetectionFeature, IHttpRequestTrailersFeature, IHttpMaxRequestBodySizeFeature
{
    private const string Connect = "CONNECT";

    private readonly FieldDictionary _requestFields;
    private FieldDictionary? _receivedTrailers;
    private IHeaderDictionary? _requestHeaders;
    private string? _authority;
    private string? _rawPath;
    private string? _cookie;
    private string? _traceIdentifier;
    private RequestStream? _requestStream;
    private Stream? _requestBody;
    private PipeReader? _replacedReader;
    private Stream? _replacedReaderBody;
    private long? _maxBodyBytes;
    private CancellationTokenSource? _abortSource;
    private CancellationToken? _requestAborted;
    private bool _isAbortSilenced;
    private bool _isBodyAsked;
    private int _rejectedStatus;

    // The last host and target that were found in order. The next request often has the same objects: see RecentValues.
    private string? _knownHost;
    private string? _knownTarget;
    private string? _knownPath;
    private string? _knownQuery;

    internal FieldDictionary RequestFieldsReceived => _requestFields;

    internal FieldDictionary ReceivedTrailers => _receivedTrailers ??= new FieldDictionary(FieldsKind.Received);

    internal RequestBody Body { get; }

    /// <summary>Limit of the body's bytes.</summary>
    internal long? MaxBodyBytes => _maxBodyBytes;

    public string Method { get; set; } = "";

    public string Scheme { get; set; } = "";

    public string Protocol { get; set; } = "HTTP/2";

    public string PathBase { get; set; } = "";

    public string Path { get; set; } = "";

    public string QueryString { get; set; } = "";

    public string RawTarget { get; set; } = "";

    IHeaderDictionary IHttpRequestFeature.Headers
    {
        get => _requestHeaders ?? _requestFields;
        set => _requestHeaders = value;
    }

    Stream IHttpRequestFeature.Body
    {
        get => _requestBody ?? (IsTunnelClosed ? Stream.Null : RequestBodyStream);
        set => _requestBody = value;
    }

    PipeReader IRequestBodyPipeFeature.Reader
        => _requestBody is not null ? ReplacedReader()
            : IsTunnelClosed ? PipeReader.Create(ReadOnlySequence<byte>.Empty)
            : Body;

    public bool CanHaveBody => Body.HasBody && !IsTunnelClosed;

    bool IHttpRequestTrailersFeature.Available => HasReceivedEnd;

    IHeaderDictionary IHttpRequestTrailersFeature.Trailers
        => HasReceivedEnd ? ReceivedTrailers : throw new InvalidOperationException("The request trailers are not available yet. They may not be available until the full request body is read.");

    bool IHttpMaxRequestBodySizeFeature.IsReadOnly => Body.IsStarted;

    long? IHttpMaxRequestBodySizeFeature.MaxRequestBodySize
    {
        get => _maxBodyBytes;
        set
        {
            if (Body.IsStarted)
            {
                throw new InvalidOperationException("The maximum request body size cannot be modified after the app has already started reading from the request body.");
            }

            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0);
            _maxBodyBytes = value;
        }
    }

    public string TraceIdentifier
    {
        get => _traceIdentifier ??= TraceText.Of(Connection.Context.ConnectionId, StreamId);
        set => _traceIdentifier = value;
    }

    /// <summary>Fires when the client or the connection aborts the request. Created on first use.</summary>
    public CancellationToken RequestAborted
    {
        get
        {
            if (_requestAborted is { } replaced)
            {
                return replaced;
            }

            if (_isAbortSilenced)
            {
                return CancellationToken.None;
            }


            _gate.Enter();
            CancellationTokenSource source = _abortSource ??= new CancellationTokenSource();
            bool isFired = _isBroken;
            _gate.Exit();
            if (isFired)
            {
                source.Cancel();
            }

            return source.Token;
        }

        set => _requestAborted = value;
    }

    /// <summary>The application aborts the request: the stream is reset.</summary>
    public void Abort() => ResetBy(Http2ErrorCode.InternalError, "The application aborted the request.");

    /// <summary>Handles a pseudo-header field.</summary>
    internal void SetPseudo(FieldKind kind, string value)
    {
        switch (kind)
        {
            case FieldKind.Method:
                Method = value;
                break;
            case FieldKind.Path:
                _rawPath = value;
                break;
            case FieldKind.Scheme:
                Scheme = value;
                break;
            case FieldKind.Authority:
                _authority = value;
                break;
            default:
                _connectProtocol = value;
                break;
        }
    }

    /// <summary>Joins the pieces of a cookie into one field (RFC 9113, section 8.2.3).</summary>
    internal void AppendCookie(string value) => _cookie = _cookie is null ? value : $"{_cookie}; {value}";

    /// <summary>Checks the fields together and builds the request from them.</summary>
    /// <param name="isTls">Whether the scheme must be https.</param>
    /// <param name="isTooLarge">Whether the answer is 431.</param>
    internal Http2Fault Accept(bool isTls, bool isTooLarge)
    {
        if (isTooLarge)
        {
            _rejectedStatus = StatusCodes.Status431RequestHeaderFieldsTooLarge;
            return default;
        }

        if (IsExtendedConnect && Method != Connect)
        {
            return Malformed("The request has :protocol and is no CONNECT (RFC 8441, section 4).");
        }

        if (!FieldText.IsToken(Method))
        {
            return Malformed("There is no method, or it is not a token.");
        }

        if (_authority is { Length: > 0 } authority)
        {
            // If both are present, the pseudo-header field counts, as in Kestrel.
            _requestFields[HeaderNames.Host] = authority;
        }

        Microsoft.Extensions.Primitives.StringValues hosts = _authority is { Length: > 0 } ? _authority : _requestFields[HeaderNames.Host];
        string host = hosts.ToString();
        if (!ReferenceEquals(host, _knownHost) && (hosts.Count > 1 || !HostText.IsValid(host)))
        {
            return Malformed("The host is not one.");
        }

        _knownHost = host;

        if (HasReceivedEnd && DeclaredLength is > 0)
        {
            return Malformed("The request has a Content-Length and no body.");
        }

        if (_cookie is not null)
        {
            _requestFields.AppendReceived(HeaderNames.Cookie, _cookie);
        }

        Http2Fault fault = Method == Connect && !IsExtendedConnect ? AcceptConnect(isTls, host) : AcceptTarget(isTls, host);
        if (fault.IsNone)
        {
            _maxBodyBytes = IsExtendedConnect ? null : Connection.Options.MaxRequestBodyBytes;
            Body.Begin(!HasReceivedEnd);
        }

        return fault;
    }

    /// <summary>A client that waits for 100 Continue gets it, once.</summary>
    /// <param name="isAwaited">A read waits for it; else the body is read for the first time, and who has sent a part already does not wait.</param>
    internal void AskForBody(bool isAwaited)
    {
        if (!_isBodyAsked && (isAwaited || Volatile.Read(ref _received) == 0))
        {
            _isBodyAsked = true;
            if (!HasStarted && _requestFields[HeaderNames.Expect].ToString().Equals("100-continue", StringComparison.OrdinalIgnoreCase))
            {
                Submit(Submitted.Continue);
            }
        }
    }

    internal void ThrowIfSynchronousForbidden()
    {
        if (!AllowSynchronousIO)
        {
            throw new InvalidOperationException("Synchronous operations are disallowed. Call ReadAsync or WriteAsync, or set AllowSynchronousIO to true instead.");
        }
    }

    private Http2Fault AcceptConnect(bool isTls, string host)
    {
        RawTarget = host;
        bool isBare = _rawPath is null && Scheme.Length == 0;
        Scheme = isTls ? "https" : "http";
        return isBare ? default : Malformed("CONNECT has a scheme or a path.");
    }

    private Http2Fault AcceptTarget(bool isTls, string host)
    {
        string scheme = isTls ? "https" : "http";
        if (Scheme.Equals(scheme, StringComparison.OrdinalIgnoreCase))
        {
            Scheme = scheme;
        }
        else if (!Connection.Options.AllowsAlternateSchemes || !Uri.CheckSchemeName(Scheme))
        {
            return Malformed("The scheme is not the connection's.");
        }

        if (_rawPath is not { Length: > 0 } target || (!ReferenceEquals(target, _knownTarget) && !RequestPath.IsTarget(target)))
        {
            return Malformed("There is no path, or it has a character that is not allowed.");
        }

        RawTarget = target;
        if (target == "*" && Method == "OPTIONS")
        {
            return default;
        }

        if (Method.Length + Scheme.Length + host.Length + target.Length > Connection.Options.MaxRequestLineBytes)
        {
            return Malformed("The method, scheme, host and path together are longer than MaxRequestLineSize.");
        }

        if (!ReferenceEquals(target, _knownTarget) && !TryKnow(target))
        {
            return Malformed("The path does not begin with a slash, or holds a zero byte.");
        }

        Path = _knownPath!;
        QueryString = _knownQuery!;
        return default;
    }

    private bool TryKnow(string target)
    {
        int query = target.IndexOf('?', StringComparison.Ordinal);
        ReadOnlySpan<char> raw = query < 0 ? target : target.AsSpan(0, query);
        if (raw.IsEmpty || raw[0] != '/' || RequestPath.Decode(raw, target) is not { } path)
        {
            return false;
        }

        _knownTarget = target;
        _knownPath = path;
        _knownQuery = query < 0 ? "" : target[query..];
        return true;
    }

    private static Http2Fault Malformed(string reason) => Http2Fault.Stream(Http2ErrorCode.ProtocolError, reason);

    private RequestStream RequestBodyStream => _requestStream ??= new RequestStream(this, Body);

    private PipeReader ReplacedReader()
    {
        if (_replacedReader is null || !ReferenceEquals(_replacedReaderBody, _requestBody))
        {
            _replacedReaderBody = _requestBody;
            _replacedReader = PipeReader.Create(_requestBody!);
            OnCompleted(static reader => ((PipeReader)reader).CompleteAsync().AsTask(), _replacedReader);
        }

        return _replacedReader;
    }

    private void BeginRequest()
    {
        Method = "";
        Scheme = "";
        Protocol = "HTTP/2";
        PathBase = "";
        Path = "";
        QueryString = "";
        RawTarget = "";
        _rejectedStatus = 0;
        _badRequest = null;
        _isAbortSilenced = false;
        _isBodyAsked = false;
        BeginConnect();
        Body.Begin(hasBody: false);
    }

    /// <summary>Notifies waiters of the request's end; the callbacks are application code.</summary>
    private void BreakRequest()
    {
        _gate.Enter();
        CancellationTokenSource? source = _isAbortSilenced ? null : _abortSource;
        _gate.Exit();
        if (source is not null)
        {
            Connection.Reactor.EnqueueOrPool(source, static source => source.Cancel(), WorkOwner.Application);
        }
    }

    private void ForgetRequest()
    {
        _requestFields.Forget();
        _receivedTrailers?.Forget();
        _requestHeaders = null;
        _requestBody = null;
        _replacedReader = null;
        _replacedReaderBody = null;
        _authority = null;
        _rawPath = null;
        _cookie = null;
        _traceIdentifier = null;
        _requestAborted = null;
        if (_isBroken || _abortSource?.TryReset() == false)
        {
            // It fires, maybe only later: see BreakRequest.
            _abortSource = null;
        }

        _maxBodyBytes = null;
    }
}

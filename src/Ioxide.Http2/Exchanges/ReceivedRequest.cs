using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>The request: its received fields, checked together, and as applications see them.</summary>
/// <remarks>Threads: the reactor's until the handler begins, then the application's, one at a time.</remarks>
internal sealed class ReceivedRequest(HttpExchange exchange) : IHttpRequestFeature, IRequestBodyPipeFeature, IHttpRequestBodyDetectionFeature,
    IHttpRequestTrailersFeature, IHttpMaxRequestBodySizeFeature
{
    private const string Connect = "CONNECT";

    // The application may set the method for what comes behind it. What the client expects follows from its own.
    private string _receivedMethod = "";
    private HeaderList? _trailers;
    private IHeaderDictionary? _replacedFields;
    private string? _authority;
    private string? _rawPath;
    private List<string>? _cookies;
    private BodyStream? _stream;
    private Stream? _replacedStream;
    private PipeReader? _replacedReader;
    private Stream? _replacedReaderStream;
    private bool _isBodyAsked;

    // The last host and target that were found in order. The next request often has the same objects: see RecentValues.
    private string? _knownHost;
    private string? _knownTarget;
    private string? _knownPath;
    private string? _knownQuery;

    internal HeaderList Fields { get; } = new(FieldsKind.Received);

    internal HeaderList Trailers => _trailers ??= new HeaderList(FieldsKind.Received);

    /// <summary>What extended CONNECT asks for (RFC 8441, section 4), or null.</summary>
    internal string? ConnectProtocol { get; private set; }

    /// <summary>The status that answers it without the application, or 0.</summary>
    internal int RejectedStatus { get; private set; }

    /// <summary>Limit of the body's bytes.</summary>
    internal long? MaxBodyBytes { get; private set; }

    /// <summary>It is a CONNECT, extended or not.</summary>
    internal bool IsConnect => _receivedMethod == Connect;

    /// <summary>It is a HEAD: its answer has no bytes.</summary>
    internal bool IsHead => _receivedMethod == "HEAD";

    public string Method { get; set; } = "";

    public string Scheme { get; set; } = "";

    public string Protocol { get; set; } = "HTTP/2";

    public string PathBase { get; set; } = "";

    public string Path { get; set; } = "";

    public string QueryString { get; set; } = "";

    public string RawTarget { get; set; } = "";

    IHeaderDictionary IHttpRequestFeature.Headers
    {
        get => _replacedFields ?? Fields;
        set => _replacedFields = value;
    }

    Stream IHttpRequestFeature.Body
    {
        get => _replacedStream ?? (exchange.IsTunnelClosed ? Stream.Null : _stream ??= new BodyStream(exchange, exchange.Body, null));
        set => _replacedStream = value;
    }

    PipeReader IRequestBodyPipeFeature.Reader
        => _replacedStream is not null ? ReplacedReader()
            : exchange.IsTunnelClosed ? PipeReader.Create(ReadOnlySequence<byte>.Empty)
            : exchange.Body;

    public bool CanHaveBody => exchange.Body.HasBody && !exchange.IsTunnelClosed;

    bool IHttpRequestTrailersFeature.Available => exchange.Stream.HasReceivedEnd;

    IHeaderDictionary IHttpRequestTrailersFeature.Trailers
        => exchange.Stream.HasReceivedEnd
            ? Trailers
            : throw new InvalidOperationException(
                "The request trailers are not available yet. They may not be available until the full request body is read.");

    bool IHttpMaxRequestBodySizeFeature.IsReadOnly => exchange.Body.IsStarted || exchange.IsExtendedConnect;

    long? IHttpMaxRequestBodySizeFeature.MaxRequestBodySize
    {
        get => MaxBodyBytes;
        set
        {
            if (exchange.Body.IsStarted)
            {
                throw new InvalidOperationException(
                    "The maximum request body size cannot be modified after the app has already started reading from the request body.");
            }

            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0);
            MaxBodyBytes = value;
        }
    }

    internal void Begin()
    {
        Method = _receivedMethod = "";
        Scheme = "";
        Protocol = "HTTP/2";
        PathBase = "";
        Path = "";
        QueryString = "";
        RawTarget = "";
        RejectedStatus = 0;
        ConnectProtocol = null;
        _isBodyAsked = false;
    }

    internal void Forget()
    {
        Fields.Forget();
        _trailers?.Forget();
        _replacedFields = null;
        _replacedStream = null;
        _replacedReader = null;
        _replacedReaderStream = null;
        _authority = null;
        _rawPath = null;
        _cookies?.Clear();
        MaxBodyBytes = null;
    }

    /// <summary>Takes a pseudo-header field.</summary>
    internal void SetPseudo(FieldKind kind, string value)
    {
        switch (kind)
        {
            case FieldKind.Method:
                Method = _receivedMethod = value;
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
                ConnectProtocol = value;
                break;
        }
    }

    /// <summary>Takes a piece of the cookie. All become one field (RFC 9113, section 8.2.3).</summary>
    internal void AppendCookie(string value) => (_cookies ??= []).Add(value);

    /// <summary>Checks the fields together and builds the request from them.</summary>
    /// <param name="isTls">Whether the scheme must be https.</param>
    /// <param name="isTooLarge">Whether the answer is 431.</param>
    internal Http2Fault Accept(bool isTls, bool isTooLarge)
    {
        if (isTooLarge)
        {
            RejectedStatus = StatusCodes.Status431RequestHeaderFieldsTooLarge;
            return default;
        }

        bool isExtended = ConnectProtocol is not null;
        if (isExtended && !IsConnect)
        {
            return Malformed("The request has :protocol and is no CONNECT (RFC 8441, section 4).");
        }

        if (!HeaderText.IsToken(Method))
        {
            return Malformed("There is no method, or it is not a token.");
        }

        if (_authority is { Length: > 0 } authority)
        {
            // If both are present, the pseudo-header field counts, as in Kestrel.
            Fields[HeaderNames.Host] = authority;
        }

        StringValues hosts = _authority is { Length: > 0 } ? _authority : Fields[HeaderNames.Host];
        string host = hosts.ToString();
        if (!ReferenceEquals(host, _knownHost) && (hosts.Count > 1 || !HostText.IsValid(host)))
        {
            return Malformed("The host is not one.");
        }

        _knownHost = host;
        bool hasEnded = exchange.Stream.HasReceivedEnd;
        if (hasEnded && exchange.Stream.DeclaredLength is > 0)
        {
            return Malformed("The request has a Content-Length and no body.");
        }

        if (_cookies is { Count: > 0 } cookies)
        {
            Fields.AppendReceived(HeaderNames.Cookie, string.Join("; ", cookies));
        }

        Http2Fault fault = IsConnect && !isExtended ? AcceptConnect(isTls, host) : AcceptTarget(isTls, host);
        if (fault.IsNone)
        {
            MaxBodyBytes = isExtended ? null : exchange.Connection.Options.MaxRequestBodyBytes;
            exchange.Body.Begin(!hasEnded);
        }

        return fault;
    }

    /// <summary>A client that waits for 100 Continue gets it, once.</summary>
    /// <param name="isAwaited">A read waits for it; else the body is read for the first time, and who has sent a part already does not wait.</param>
    internal void AskForBody(bool isAwaited)
    {
        if (!_isBodyAsked && (isAwaited || exchange.Stream.Received == 0))
        {
            _isBodyAsked = true;
            if (!exchange.Answer.HasStarted && Fields[HeaderNames.Expect].ToString().Equals("100-continue", StringComparison.OrdinalIgnoreCase))
            {
                exchange.Stream.Submit(Submitted.Continue);
            }
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
        else if (!exchange.Connection.Options.AllowsAlternateSchemes || !Uri.CheckSchemeName(Scheme))
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

        if (Method.Length + Scheme.Length + host.Length + target.Length > exchange.Connection.Options.MaxRequestLineBytes)
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

    private PipeReader ReplacedReader()
    {
        if (_replacedReader is null || !ReferenceEquals(_replacedReaderStream, _replacedStream))
        {
            _replacedReaderStream = _replacedStream;
            _replacedReader = PipeReader.Create(_replacedStream!);
            exchange.Answer.OnCompleted(static reader => ((PipeReader)reader).CompleteAsync().AsTask(), _replacedReader);
        }

        return _replacedReader;
    }
}

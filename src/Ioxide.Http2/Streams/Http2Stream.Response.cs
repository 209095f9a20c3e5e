using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>The response as applications make it.</summary>
internal abstract partial class Http2Stream : IHttpResponseFeature, IHttpResponseBodyFeature, IHttpResponseTrailersFeature, IHttpResetFeature
{
    private readonly FieldDictionary _responseFields;
    private FieldDictionary? _responseTrailers;
    private IHeaderDictionary? _responseHeaders;
    private IHeaderDictionary? _trailers;
    private ResponseStream? _responseStream;
    private string? _reasonPhrase;
    private readonly List<(Func<object, Task> Callback, object State)> _onStarting = [];
    private readonly List<(Func<object, Task> Callback, object State)> _onCompleted = [];
    private int _statusCode;

    internal ResponseWriter Writer { get; }

    public int StatusCode
    {
        get => _statusCode;
        set
        {
            if (HasStarted)
            {
                throw new InvalidOperationException("StatusCode cannot be set because the response has already started.");
            }

            _statusCode = value;
        }
    }

    /// <summary>Not sent: HTTP/2 has none.</summary>
    public string? ReasonPhrase
    {
        get => _reasonPhrase;
        set
        {
            if (HasStarted)
            {
                throw new InvalidOperationException("ReasonPhrase cannot be set because the response has already started.");
            }

            _reasonPhrase = value;
        }
    }

    public bool HasStarted => _answer != AnswerState.Open;

    IHeaderDictionary IHttpResponseFeature.Headers
    {
        get => _responseHeaders ?? _responseFields;
        set => _responseHeaders = value;
    }

    Stream IHttpResponseFeature.Body
    {
        get => ResponseBody;
        set => throw new NotSupportedException("Set IHttpResponseBodyFeature instead.");
    }

    Stream IHttpResponseBodyFeature.Stream => ResponseBody;

    PipeWriter IHttpResponseBodyFeature.Writer => Writer;

    IHeaderDictionary IHttpResponseTrailersFeature.Trailers
    {
        get => _trailers ?? (_responseTrailers ??= new FieldDictionary(FieldsKind.Trailers, Connection.Options.ResponseEncodings) { IsReadOnly = _answer == AnswerState.Ended });
        set => _trailers = value;
    }

    private ResponseStream ResponseBody => _responseStream ??= new ResponseStream(this, Writer);

    public void OnStarting(Func<object, Task> callback, object state)
    {
        if (HasStarted)
        {
            throw new InvalidOperationException("OnStarting cannot be set because the response has already started.");
        }

        _onStarting.Add((callback, state));
    }

    public void OnCompleted(Func<object, Task> callback, object state) => _onCompleted.Add((callback, state));

    public void DisableBuffering()
    {
    }

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default)
        => SendFileFallback.SendFileAsync(ResponseBody, path, offset, count, cancellationToken);

    /// <summary>Ends the stream with a code of the application.</summary>
    void IHttpResetFeature.Reset(int errorCode)
        => ResetBy((Http2ErrorCode)errorCode, $"The application reset the stream with the code {errorCode}.");

    private IHeaderDictionary ResponseHeaders => _responseHeaders ?? _responseFields;

    private void FreezeTrailers()
    {
        if (_trailers is not null)
        {
            FieldDictionary copy = _responseTrailers ??= new FieldDictionary(FieldsKind.Trailers);
            foreach ((string name, StringValues values) in _trailers)
            {
                copy[name] = values;
            }
        }

        if (_responseTrailers is not null)
        {
            _responseTrailers.IsReadOnly = true;
        }
    }

    private void BeginResponse()
    {
        // Whoever kept them may have set some until now.
        _responseFields.Forget();
        _responseFields.IsReadOnly = false;
        if (_responseTrailers is not null)
        {
            _responseTrailers.Forget();
            _responseTrailers.IsReadOnly = false;
        }

        _statusCode = StatusCodes.Status200OK;
        BeginAnswer();
    }

    private void ForgetResponse()
    {
        Writer.Drop();
        ForgetAnswer();
        _responseHeaders = null;
        _trailers = null;
        _onStarting.Clear();
        _onCompleted.Clear();
        _reasonPhrase = null;
    }
}

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
    private readonly List<(Func<object, Task> Callback, object State)> _onStarting = [];
    private readonly List<(Func<object, Task> Callback, object State)> _onCompleted = [];
    private int _statusCode;
    private bool _hasEnded;
    private bool _isWritingOver;
    private long _written;
    private long? _promised;

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

    public string? ReasonPhrase { get; set; }

    public bool HasStarted { get; private set; }

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
        get => _trailers ?? (_responseTrailers ??= new FieldDictionary(isResponse: true) { IsReadOnly = _hasEnded });
        set => _trailers = value;
    }

    private ResponseStream ResponseBody => _responseStream ??= new ResponseStream(this, Writer);

    private bool StatusHasBody => _statusCode is not (StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified);

    /// <summary>Whether bytes that the application writes are sent.</summary>
    private bool SendsBody => StatusHasBody && Method != "HEAD";

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

    /// <summary>Sends the fields now.</summary>
    public Task StartAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return HasStarted ? Task.CompletedTask : FlushAsync(cancellationToken).AsTask();
    }

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default)
        => SendFileFallback.SendFileAsync(ResponseBody, path, offset, count, cancellationToken);

    /// <summary>Ends the response; the handler may continue.</summary>
    public Task CompleteAsync() => _hasEnded ? Task.CompletedTask : EndAsync();

    /// <summary>Ends the stream with a code of the application.</summary>
    void IHttpResetFeature.Reset(int errorCode) => ResetBy((Http2ErrorCode)errorCode);

    internal void ThrowIfWritingIsOver()
    {
        if (_hasEnded || _isWritingOver)
        {
            throw new InvalidOperationException("Writing is not allowed after writer was completed.");
        }
    }

    /// <summary>Sends the written bytes, after the fields.</summary>
    internal ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken)
    {
        if (_hasEnded)
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: false, isCompleted: true));
        }

        if (MustFireOnStarting)
        {
            return StartAndFlushAsync(cancellationToken);
        }

        SubmitWritten(Submitted.None);
        return WaitForRoomAsync(cancellationToken);
    }

    /// <summary>The application completes the writer: nothing more is written; the response ends with the handler.</summary>
    internal void CompleteWriting(Exception? exception)
    {
        _isWritingOver = true;
        if (exception is not null && !_hasEnded)
        {
            ResetBy(Http2ErrorCode.InternalError);
        }
    }

    internal async Task CompleteWritingAsync(Exception? exception)
    {
        if (exception is null && !_hasEnded)
        {
            _ = await FlushAsync(CancellationToken.None).ConfigureAwait(true);
        }

        CompleteWriting(exception);
    }

    private async ValueTask<FlushResult> StartAndFlushAsync(CancellationToken cancellationToken)
    {
        await FireOnStartingAsync().ConfigureAwait(true);
        SubmitWritten(Submitted.None);
        return await WaitForRoomAsync(cancellationToken).ConfigureAwait(true);
    }

    private async Task EndAsync()
    {
        if (MustFireOnStarting)
        {
            await FireOnStartingAsync().ConfigureAwait(true);
        }

        End();
    }

    private void End()
    {
        if (!_hasEnded)
        {
            FreezeTrailers();
            if (!HasStarted)
            {
                PromiseLength();
            }

            SubmitWritten(Submitted.End);
            _hasEnded = true;
        }
    }

    private void SubmitWritten(Submitted asked)
    {
        Writer.Take(out ResponseChunk? first, out ResponseChunk? last, out long bytes);
        if (!HasStarted)
        {
            HasStarted = true;
            asked |= Submitted.Head;
            _promised = ResponseHeaders.ContentLength;
            _responseFields.IsReadOnly = true;
        }

        if (_promised is { } promised && _written + bytes > promised)
        {
            ReleaseAll(first);
            throw new InvalidOperationException(
                $"Response Content-Length mismatch: too many bytes written ({_written + bytes} of {promised}).");
        }

        if (bytes > 0 && !StatusHasBody && Method != "HEAD")
        {
            ReleaseAll(first);
            throw new InvalidOperationException($"Writing to the response body is invalid for responses with status code {_statusCode}.");
        }

        _written += bytes;
        if (!SendsBody && first is not null)
        {
            ReleaseAll(first);
            (first, last, bytes) = (null, null, 0);
        }

        if (asked != Submitted.None || first is not null)
        {
            Submit(asked, first, last, bytes);
        }
    }

    private IHeaderDictionary ResponseHeaders => _responseHeaders ?? _responseFields;

    /// <summary>A response that ends with its first bytes gets a length, where one is meaningful.</summary>
    private void PromiseLength()
    {
        if (SendsBody && Method != Connect && Writer.UnflushedBytes == 0 && ResponseHeaders.ContentLength is null && _trailers is null && !HasTrailers)
        {
            ResponseHeaders.ContentLength = 0;
        }
    }

    private void FreezeTrailers()
    {
        if (_trailers is not null)
        {
            FieldDictionary copy = _responseTrailers ??= new FieldDictionary(isResponse: true);
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

    private async Task FireOnStartingAsync()
    {
        // The last one added runs first; it may add another.
        while (_onStarting.Count > 0)
        {
            (Func<object, Task> callback, object state) = _onStarting[^1];
            _onStarting.RemoveAt(_onStarting.Count - 1);
            await callback(state).ConfigureAwait(true);
        }
    }

    private void ResetBy(Http2ErrorCode code)
    {
        _gate.Enter();
        _resetCode = (_submitted & Submitted.Reset) == 0 ? code : _resetCode;
        _gate.Exit();
        _hasEnded = true;
        Writer.Drop();
        Submit(Submitted.Reset);
    }

    /// <summary>Threads: the reactor's. The fields do not change any more.</summary>
    private void EncodeHead(HpackEncoder encoder, HpackBuffer block)
    {
        block.Clear();
        encoder.Begin(block);
        IHeaderDictionary fields = ResponseHeaders;
        string? type = OnlyValue(fields[HeaderNames.ContentType]);
        string? server = OnlyValue(fields[HeaderNames.Server]) ?? Connection.Options.ServerField;
        string? date = OnlyValue(fields[HeaderNames.Date]) ?? DateText.Now;
        encoder.WriteStart(block, _statusCode, type, server, date);
        if (ReferenceEquals(fields, _responseFields))
        {
            foreach (ref readonly KeyValuePair<string, StringValues> field in _responseFields.Fields)
            {
                EncodeOther(encoder, block, field);
            }
        }
        else
        {
            foreach (KeyValuePair<string, StringValues> field in fields)
            {
                EncodeOther(encoder, block, field);
            }
        }
    }

    private static void EncodeOther(HpackEncoder encoder, HpackBuffer block, in KeyValuePair<string, StringValues> field)
    {
        if (IsWrittenAtStart(field.Key) && field.Value.Count <= 1)
        {
            return;
        }

        for (int index = 0; index < field.Value.Count; index++)
        {
            encoder.Write(block, field.Key, field.Value[index] ?? "");
        }
    }

    private static bool IsWrittenAtStart(string name)
        => name.Equals(HeaderNames.ContentType, StringComparison.OrdinalIgnoreCase)
            || name.Equals(HeaderNames.Server, StringComparison.OrdinalIgnoreCase)
            || name.Equals(HeaderNames.Date, StringComparison.OrdinalIgnoreCase);

    private void EncodeTrailers(HpackEncoder encoder, HpackBuffer block)
    {
        block.Clear();
        encoder.Begin(block);
        foreach (ref readonly KeyValuePair<string, StringValues> field in _responseTrailers!.Fields)
        {
            for (int index = 0; index < field.Value.Count; index++)
            {
                encoder.Write(block, field.Key, field.Value[index] ?? "");
            }
        }
    }

    private static string? OnlyValue(in StringValues values) => values.Count == 1 ? values[0] : null;

    private void BeginResponse()
    {
        _statusCode = StatusCodes.Status200OK;
        HasStarted = false;
        _hasEnded = false;
        _isWritingOver = false;
        _written = 0;
        _promised = null;
    }

    private void ForgetResponse()
    {
        Writer.Drop();
        _responseFields.Reset();
        _responseTrailers?.Reset();
        _responseHeaders = null;
        _trailers = null;
        _onStarting.Clear();
        _onCompleted.Clear();
        ReasonPhrase = null;
    }
}

using System.Diagnostics;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>An answer's head: made final by the application's side, encoded by the reactor; and its trailers.</summary>
internal abstract partial class Http2Stream
{
    // The server's own fields stand behind the application's. Null where the application set one.
    private int _applicationFieldCount;
    private string? _ownServer;
    private string? _ownDate;

    private bool StatusHasBody => _statusCode is not (StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified);

    /// <summary>RFC 9110, section 8.6: none with 1xx and 204, and with 2xx to CONNECT.</summary>
    private bool MayHaveLength => _statusCode is not ((>= 100 and < 200) or StatusCodes.Status204NoContent) && !(Method == Connect && _statusCode is >= 200 and < 300);

    private long? ResponseLength => _responseHeaders is { } others ? others.ContentLength : _responseFields.ContentLength;

    /// <summary>Makes the fields final.</summary>
    /// <param name="isWhole">No byte follows that is not written yet.</param>
    /// <exception cref="InvalidOperationException">They cannot be sent; where the answer is whole, it becomes one of the status 500 instead.</exception>
    private void Start(bool isWhole)
    {
        Debug.Assert(_answer == AnswerState.Open);
        _isMemoryStale = true;
        if (PrepareHead(isWhole) is { } error)
        {
            if (!isWhole)
            {
                throw error;
            }

            Report(error);
            SetErrorHead(StatusCodes.Status500InternalServerError);
            _ = PrepareHead(isWhole);
        }

        _answer = AnswerState.Started;
        _responseFields.IsReadOnly = true;
        AddOwnFields();
        if (!_sendsBody)
        {
            Writer.Drop();
        }
    }

    /// <summary>Takes out and adds what the status, the method and the protocol ask for. Returns what is wrong.</summary>
    private InvalidOperationException? PrepareHead(bool isWhole)
    {
        if (_statusCode is < 100 or > 999)
        {
            return new InvalidOperationException($"The status {_statusCode} cannot be sent. It has three digits (RFC 9110, section 15).");
        }

        IHeaderDictionary fields = ResponseHeaders;
        RemoveConnectionFields(fields);
        _sendsBody = StatusHasBody && !IsHead;
        if (!StatusHasBody && !IsHead && Writer.UnflushedBytes > 0)
        {
            return HasNoBody();
        }

        _promised = ResponseLength;
        if (_promised is { } length)
        {
            if (!MayHaveLength && length == 0)
            {
                fields.ContentLength = _promised = null;
            }
            else if (!MayHaveLength || (_statusCode == StatusCodes.Status205ResetContent && length != 0))
            {
                return new InvalidOperationException($"Content-Length is not allowed in a response with the status {_statusCode}.");
            }
        }
        else if ((isWhole || !_sendsBody) && !_hasAdvanced && MayHaveLength && !IsHead && _statusCode != StatusCodes.Status304NotModified)
        {
            fields.ContentLength = _promised = 0;
        }

        return null;
    }

    /// <summary>HTTP/2 has no such fields (RFC 9113, section 8.2.2), and clients refuse an answer that has one.</summary>
    private void RemoveConnectionFields(IHeaderDictionary fields)
    {
        if (_responseHeaders is null && !_responseFields.HasConnectionField)
        {
            return;
        }

        bool isAny = false;
        foreach (string name in FieldText.ConnectionNames)
        {
            isAny |= fields.Remove(name);
        }

        if (isAny)
        {
            Http2Log.FieldsRemoved(Connection.KestrelLogger, Connection.Context.ConnectionId, TraceIdentifier);
        }
    }

    private void AddOwnFields()
    {
        _ownServer = Connection.Options.ServerField is { } server && !Has(HeaderNames.Server) ? server : null;
        _ownDate = Has(HeaderNames.Date) ? null : DateText.Now;
        if (_responseHeaders is { } others)
        {
            _ = Connection.AltSvc is { } service && others.TryAdd(HeaderNames.AltSvc, service);
            _ = _ownServer is not null && others.TryAdd(HeaderNames.Server, _ownServer);
            _ = _ownDate is not null && others.TryAdd(HeaderNames.Date, _ownDate);
            return;
        }

        if (Connection.AltSvc is { } altSvc && !Has(HeaderNames.AltSvc))
        {
            _responseFields.AddOwn(HeaderNames.AltSvc, altSvc);
        }

        _applicationFieldCount = _responseFields.Count;
        if (_ownServer is not null)
        {
            _responseFields.AddOwn(HeaderNames.Server, _ownServer);
        }

        if (_ownDate is not null)
        {
            _responseFields.AddOwn(HeaderNames.Date, _ownDate);
        }

        bool Has(string name) => _responseHeaders?.ContainsKey(name) ?? _responseFields.ContainsKey(name);
    }

    private void SetErrorHead(int statusCode)
    {
        Debug.Assert(!HasStarted);
        Writer.Drop();
        _hasAdvanced = false;
        _responseHeaders = null;
        _responseFields.Forget();
        _responseTrailers?.Forget();
        _trailers = null;
        _reasonPhrase = null;
        _statusCode = statusCode;
        ResponseHeaders.ContentLength = 0;
    }

    /// <summary>Threads: the reactor's. The fields do not change any more.</summary>
    private void EncodeHead(HpackEncoder encoder, HpackBuffer block)
    {
        block.Clear();
        encoder.Begin(block);
        Func<string, Encoding?>? encodings = Connection.Options.ResponseEncodings;
        if (encodings is null)
        {
            encoder.WriteStart(
                block, _statusCode, OnlyValue(HeaderNames.ContentType), _ownServer ?? OnlyValue(HeaderNames.Server), _ownDate ?? OnlyValue(HeaderNames.Date));
        }
        else
        {
            // Each field has its own encoding.
            encoder.WriteStart(block, _statusCode, null, null, null);
        }

        if (_responseHeaders is { } others)
        {
            foreach (KeyValuePair<string, StringValues> field in others)
            {
                EncodeOther(encoder, block, field, encodings);
            }

            return;
        }

        foreach (ref readonly KeyValuePair<string, StringValues> field
            in _responseFields.Fields[..(encodings is null ? _applicationFieldCount : _responseFields.Count)])
        {
            EncodeOther(encoder, block, field, encodings);
        }
    }

    private static void EncodeOther(
        HpackEncoder encoder, HpackBuffer block, in KeyValuePair<string, StringValues> field, Func<string, Encoding?>? encodings)
    {
        if (encodings is null && IsWrittenAtStart(field.Key) && field.Value.Count <= 1)
        {
            return;
        }

        Encode(encoder, block, field, encodings);
    }

    private static void Encode(
        HpackEncoder encoder, HpackBuffer block, in KeyValuePair<string, StringValues> field, Func<string, Encoding?>? encodings)
    {
        for (int index = 0; index < field.Value.Count; index++)
        {
            encoder.Write(block, field.Key, field.Value[index] ?? "", encodings?.Invoke(field.Key));
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
            Encode(encoder, block, field, Connection.Options.ResponseEncodings);
        }
    }

    private string? OnlyValue(string name)
    {
        StringValues values = _responseHeaders is { } others ? others[name] : _responseFields[name];
        return values.Count == 1 ? values[0] : null;
    }
}

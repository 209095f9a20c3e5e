using System.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>An answer's head: made final by the application's side, encoded by the reactor; and its trailers.</summary>
internal abstract partial class Http2Stream
{
    private bool StatusHasBody => _statusCode is not (StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified);

    /// <summary>RFC 9110, section 8.6: none with 1xx and 204, and with 2xx to CONNECT.</summary>
    private bool MayHaveLength => _statusCode is not ((>= 100 and < 200) or StatusCodes.Status204NoContent) && !(Method == Connect && _statusCode is >= 200 and < 300);

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

        _promised = ResponseHeaders.ContentLength;
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

        if (fields.ContentLength is { } length)
        {
            if (!MayHaveLength && length == 0)
            {
                fields.ContentLength = null;
            }
            else if (!MayHaveLength || (_statusCode == StatusCodes.Status205ResetContent && length != 0))
            {
                return new InvalidOperationException($"Content-Length is not allowed in a response with the status {_statusCode}.");
            }
        }
        else if ((isWhole || !_sendsBody) && !_hasAdvanced && MayHaveLength && !IsHead && _statusCode != StatusCodes.Status304NotModified)
        {
            fields.ContentLength = 0;
        }

        return null;
    }

    /// <summary>HTTP/2 has no such fields (RFC 9113, section 8.2.2), and clients refuse an answer that has one.</summary>
    private void RemoveConnectionFields(IHeaderDictionary fields)
    {
        if (ReferenceEquals(fields, _responseFields) && !_responseFields.HasConnectionField)
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
            KestrelLog.FieldsRemoved(Connection.KestrelLogger, Connection.Context.ConnectionId, TraceIdentifier);
        }
    }

    private void AddOwnFields()
    {
        if (ReferenceEquals(ResponseHeaders, _responseFields))
        {
            if (Connection.Options.ServerField is { } server)
            {
                _responseFields.AddMissing(HeaderNames.Server, server);
            }

            _responseFields.AddMissing(HeaderNames.Date, DateText.Now);
            return;
        }

        IHeaderDictionary fields = ResponseHeaders;
        if (Connection.Options.ServerField is { } own && !fields.ContainsKey(HeaderNames.Server))
        {
            fields.Server = own;
        }

        if (!fields.ContainsKey(HeaderNames.Date))
        {
            fields.Date = DateText.Now;
        }
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
        IHeaderDictionary fields = ResponseHeaders;
        string? type = OnlyValue(fields[HeaderNames.ContentType]);
        string? server = OnlyValue(fields[HeaderNames.Server]);
        string? date = OnlyValue(fields[HeaderNames.Date]);
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
}

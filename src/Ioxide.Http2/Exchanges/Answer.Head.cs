using System.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>An answer's head: made final by the application's side, encoded by the reactor; and its trailers.</summary>
internal sealed partial class Answer
{
    internal bool HasTrailers => _trailers is { HasAny: true };

    private bool StatusHasBody => _statusCode is not (StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified);

    /// <summary>RFC 9110, section 8.6: none with 1xx and 204, and with 2xx to CONNECT.</summary>
    private bool MayHaveLength
        => _statusCode is not ((>= 100 and < 200) or StatusCodes.Status204NoContent) && !(_statusCode is >= 200 and < 300 && _exchange.Request.IsConnect);

    private long? FieldsLength
        => _replacedFields is { } others && !HasStarted ? others.ContentLength : _fields.Has(KnownFields.ContentLength) ? _fields.ContentLength : null;

    /// <summary>Gives an answer that has not started an error's status, and nothing else.</summary>
    internal void SetErrorHead(int statusCode)
    {
        Debug.Assert(!HasStarted);
        DropWritten();
        _hasAdvanced = false;
        _replacedFields = null;
        _fields.Forget();
        _trailers?.Forget();
        _replacedTrailers = null;
        _reasonPhrase = null;
        _statusCode = statusCode;
        _fields.ContentLength = 0;
    }

    /// <summary>Threads: the reactor's. The fields do not change any more.</summary>
    internal void EncodeHead(HpackEncoder encoder, HpackBuffer block)
    {
        block.Clear();
        encoder.Begin(block);
        encoder.WriteStart(block, _statusCode, _fields.Only(KnownFields.ContentType), _fields.Only(KnownFields.Server), _fields.Only(KnownFields.Date));
        foreach (ref readonly KeyValuePair<string, StringValues> field in _fields.Sealed)
        {
            EncodeOther(encoder, block, field);
        }
    }

    internal void EncodeTrailers(HpackEncoder encoder, HpackBuffer block)
    {
        block.Clear();
        encoder.Begin(block);
        foreach (ref readonly KeyValuePair<string, StringValues> field in _trailers!.Sealed)
        {
            Encode(encoder, block, field);
        }
    }

    /// <summary>Makes the fields final.</summary>
    /// <param name="isWhole">No byte follows that is not written yet.</param>
    /// <exception cref="InvalidOperationException">They cannot be sent; where the answer is whole, it becomes one of the status 500 instead.</exception>
    private void Start(bool isWhole)
    {
        Debug.Assert(_state == State.Open);
        _isMemoryStale = true;
        if (PrepareHead(isWhole) is { } error)
        {
            if (!isWhole)
            {
                throw error;
            }

            _exchange.Report(error);
            SetErrorHead(StatusCodes.Status500InternalServerError);
            _ = PrepareHead(isWhole);
        }

        _state = State.Started;
        _fields.Seal(
            _fields.Has(KnownFields.Server) && _fields.ContainsKey(HeaderNames.Server) ? null : _exchange.Connection.Options.ServerField,
            _fields.Has(KnownFields.Date) && _fields.ContainsKey(HeaderNames.Date) ? null : DateText.Now);
        if (!_sendsBody)
        {
            DropWritten();
        }
    }

    /// <summary>Takes out and adds what the status, the method and the protocol ask for. Returns what is wrong.</summary>
    private InvalidOperationException? PrepareHead(bool isWhole)
    {
        if (_statusCode is < 100 or > 999)
        {
            return new InvalidOperationException($"The status {_statusCode} cannot be sent. It has three digits (RFC 9110, section 15).");
        }

        if (_replacedFields is { } others && CopyFrom(others) is { } invalid)
        {
            return invalid;
        }

        if (_fields.Has(KnownFields.Connection))
        {
            RemoveConnectionFields();
        }

        _sendsBody = StatusHasBody && !IsHead;
        if (!StatusHasBody && !IsHead && _bytes.Unpublished > 0)
        {
            return HasNoBody();
        }

        _promised = _fields.Has(KnownFields.ContentLength) ? _fields.ContentLength : null;
        if (_promised is { } length)
        {
            if (!MayHaveLength && length == 0)
            {
                _fields.ContentLength = _promised = null;
            }
            else if (!MayHaveLength || (_statusCode == StatusCodes.Status205ResetContent && length != 0))
            {
                return new InvalidOperationException($"Content-Length is not allowed in a response with the status {_statusCode}.");
            }
        }
        else if ((isWhole || !_sendsBody) && !_hasAdvanced && MayHaveLength && !IsHead && _statusCode != StatusCodes.Status304NotModified)
        {
            _fields.ContentLength = _promised = 0;
        }

        return null;
    }

    /// <summary>HTTP/2 has no such fields (RFC 9113, section 8.2.2), and clients refuse an answer that has one.</summary>
    private void RemoveConnectionFields()
    {
        bool isAny = false;
        foreach (string name in FieldText.ConnectionNames)
        {
            isAny |= _fields.Remove(name);
        }

        if (isAny)
        {
            Http2Log.FieldsRemoved(_exchange.Connection.KestrelLogger, _exchange.Connection.Context.ConnectionId, _exchange.TraceIdentifier);
        }
    }

    /// <summary>The reactor reads them later, and the application may change its own dictionary meanwhile.</summary>
    private InvalidOperationException? CopyFrom(IHeaderDictionary others)
    {
        _fields.Forget();
        try
        {
            foreach ((string name, StringValues values) in others)
            {
                _fields[name] = values;
            }

            return null;
        }
        catch (InvalidOperationException exception)
        {
            return exception;
        }
    }

    private void FreezeTrailers()
    {
        if (_replacedTrailers is not null)
        {
            FieldDictionary copy = _trailers ??= new FieldDictionary(FieldsKind.Trailers);
            foreach ((string name, StringValues values) in _replacedTrailers)
            {
                copy[name] = values;
            }
        }

        _trailers?.Seal(null, null);
    }

    /// <summary>Bytes that were written and not published are not sent.</summary>
    private void DropWritten()
    {
        _lent = 0;
        _bytes.Drop();
    }

    private static void EncodeOther(HpackEncoder encoder, HpackBuffer block, in KeyValuePair<string, StringValues> field)
    {
        if (field.Value.Count > 1 || (FieldText.KnownOf(field.Key) & (KnownFields.ContentType | KnownFields.Server | KnownFields.Date)) == 0)
        {
            Encode(encoder, block, field);
        }
    }

    private static void Encode(HpackEncoder encoder, HpackBuffer block, in KeyValuePair<string, StringValues> field)
    {
        for (int index = 0; index < field.Value.Count; index++)
        {
            encoder.Write(block, field.Key, field.Value[index] ?? "");
        }
    }
}

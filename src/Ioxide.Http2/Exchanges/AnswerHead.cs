using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>An answer's status, fields and trailers: made final by the application's side, encoded by the reactor. Reusable.</summary>
/// <remarks>Threads: the application's, one at a time; what encodes is called by the reactor once nothing changes any more.</remarks>
internal sealed class AnswerHead(HttpExchange exchange)
{
    private readonly HeaderList _fields = new(FieldsKind.Response, exchange.Connection.Options.ResponseEncodings);
    private HeaderList? _trailers;
    private IHeaderDictionary? _replacedFields;
    private IHeaderDictionary? _replacedTrailers;

    internal int StatusCode { get; set; }

    internal string? ReasonPhrase { get; set; }

    internal IHeaderDictionary Fields
    {
        get => _replacedFields ?? _fields;
        set => _replacedFields = value;
    }

    internal IHeaderDictionary Trailers
    {
        get => _replacedTrailers ?? (_trailers ??= NewTrailers());
        set => _replacedTrailers = value;
    }

    internal bool HasTrailers => _trailers is { HasAny: true };

    /// <summary>The length that the fields promise now.</summary>
    internal long? Length
        => _replacedFields is { } others ? others.ContentLength : _fields.Has(KnownFields.ContentLength) ? _fields.ContentLength : null;

    /// <summary>The length that the final fields promise.</summary>
    internal long? Promised { get; private set; }

    internal bool IsOfHead => exchange.Request.IsHead;

    /// <summary>Bytes may follow that are sent.</summary>
    internal bool HasBody => StatusHasBody && !IsOfHead;

    private bool StatusHasBody
        => StatusCode is not (StatusCodes.Status204NoContent or StatusCodes.Status205ResetContent or StatusCodes.Status304NotModified);

    /// <summary>RFC 9110, section 8.6: none with 1xx and 204, and with 2xx to CONNECT.</summary>
    private bool MayHaveLength
        => StatusCode is not ((>= 100 and < 200) or StatusCodes.Status204NoContent)
            && !(StatusCode is >= 200 and < 300 && exchange.Request.IsConnect);

    internal void Begin()
    {
        // Whoever kept them may have set some until now.
        _fields.Begin();
        _trailers?.Begin();
        StatusCode = StatusCodes.Status200OK;
        Promised = null;
    }

    internal void Forget()
    {
        _replacedFields = null;
        _replacedTrailers = null;
        ReasonPhrase = null;
    }

    /// <summary>It has an error's status, and nothing else.</summary>
    internal void SetError(int statusCode)
    {
        Forget();
        _fields.Forget();
        _trailers?.Forget();
        StatusCode = statusCode;
        _fields.ContentLength = 0;
    }

    /// <summary>Takes out and adds what the status, the method and the protocol ask for. Returns what is wrong.</summary>
    /// <param name="isWhole">No byte follows that is not written yet.</param>
    /// <param name="hasBytes">The application has written some.</param>
    /// <param name="hasUnsent">Some of them are there.</param>
    /// <param name="written">How many, where the length may have come behind them.</param>
    internal Exception? Prepare(bool isWhole, bool hasBytes, bool hasUnsent, long written)
    {
        if (StatusCode is < 100 or > 999)
        {
            return new InvalidOperationException($"The status {StatusCode} cannot be sent. It has three digits (RFC 9110, section 15).");
        }

        if (_replacedFields is { } others && Copy(others, _fields) is { } invalid)
        {
            return invalid;
        }

        if (_fields.Has(KnownFields.Connection))
        {
            RemoveConnectionFields();
        }

        if (hasUnsent && !StatusHasBody && !IsOfHead)
        {
            return HasNoBody();
        }

        Promised = _fields.Has(KnownFields.ContentLength) ? _fields.ContentLength : null;
        if (Promised is { } length)
        {
            if (!MayHaveLength && length == 0)
            {
                _fields.ContentLength = Promised = null;
            }
            else if (!MayHaveLength || (StatusCode == StatusCodes.Status205ResetContent && length != 0))
            {
                return new InvalidOperationException($"Content-Length is not allowed in a response with the status {StatusCode}.");
            }
            else if (HasBody && exchange.ErrorStatus == 0 && written > length)
            {
                return TooMany(length, written);
            }
        }
        else if ((isWhole || !HasBody) && !hasBytes && MayHaveLength && !IsOfHead && StatusCode != StatusCodes.Status304NotModified)
        {
            _fields.ContentLength = Promised = 0;
        }

        return null;
    }

    /// <summary>More bytes than the length.</summary>
    internal static InvalidOperationException TooMany(long promised, long written)
        => new($"Response Content-Length mismatch: too many bytes written ({written} of {promised}).");

    /// <summary>The fields change no more. The server's own stand behind the application's, unless it has set them.</summary>
    internal void Seal()
    {
        if (exchange.Connection.AltSvc is { } altSvc && !_fields.ContainsKey(HeaderNames.AltSvc))
        {
            _fields.Add(HeaderNames.AltSvc, altSvc);
        }

        _fields.Seal(
            _fields.Has(KnownFields.Server) && _fields.ContainsKey(HeaderNames.Server) ? null : exchange.Connection.Options.ServerField,
            _fields.Has(KnownFields.Date) && _fields.ContainsKey(HeaderNames.Date) ? null : DateText.Now);
    }

    /// <summary>Takes over trailers that the application keeps itself. Those that cannot be sent are its failure.</summary>
    internal void PrepareTrailers()
    {
        if (_replacedTrailers is { } others && exchange.ErrorStatus == 0 && Copy(others, _trailers ??= NewTrailers()) is { } invalid)
        {
            exchange.Report(invalid);
        }
    }

    /// <summary>The trailers change no more.</summary>
    internal void SealTrailers() => _trailers?.Seal(null, null);

    internal InvalidOperationException HasNoBody()
        => new($"Writing to the response body is invalid for responses with status code {StatusCode}.");

    /// <summary>Threads: the reactor's.</summary>
    internal void Encode(HpackEncoder encoder, HpackBuffer block)
    {
        block.Clear();
        encoder.Begin(block);
        if (exchange.Connection.Options.ResponseEncodings is { } encodings)
        {
            // Each field has its own encoding.
            encoder.WriteStart(block, StatusCode, null, null, null);
            Encode(encoder, block, _fields.Sealed, encodings);
            WriteOwn(HeaderNames.Server, _fields.OwnServer);
            WriteOwn(HeaderNames.Date, _fields.OwnDate);
            return;
        }

        encoder.WriteStart(
            block, StatusCode, _fields.Only(KnownFields.ContentType), _fields.Only(KnownFields.Server), _fields.Only(KnownFields.Date));
        foreach (ref readonly KeyValuePair<string, StringValues> field in _fields.Sealed)
        {
            if (field.Value.Count > 1 || (HeaderText.KnownOf(field.Key) & (KnownFields.ContentType | KnownFields.Server | KnownFields.Date)) == 0)
            {
                for (int index = 0; index < field.Value.Count; index++)
                {
                    encoder.Write(block, field.Key, field.Value[index] ?? "");
                }
            }
        }

        void WriteOwn(string name, string? value)
        {
            if (value is not null)
            {
                encoder.Write(block, name, value, encodings(name));
            }
        }
    }

    /// <summary>Threads: the reactor's.</summary>
    internal void EncodeTrailers(HpackEncoder encoder, HpackBuffer block)
    {
        block.Clear();
        encoder.Begin(block);
        Encode(encoder, block, _trailers!.Sealed, exchange.Connection.Options.ResponseEncodings);
    }

    private static void Encode(
        HpackEncoder encoder, HpackBuffer block, ReadOnlySpan<KeyValuePair<string, StringValues>> fields, Func<string, Encoding?>? encodings)
    {
        foreach (ref readonly KeyValuePair<string, StringValues> field in fields)
        {
            for (int index = 0; index < field.Value.Count; index++)
            {
                encoder.Write(block, field.Key, field.Value[index] ?? "", encodings?.Invoke(field.Key));
            }
        }
    }

    private HeaderList NewTrailers()
        => new(FieldsKind.Trailers, exchange.Connection.Options.ResponseEncodings) { IsReadOnly = exchange.Answer.HasEnded };

    /// <summary>HTTP/2 has no such fields (RFC 9113, section 8.2.2), and clients refuse an answer that has one.</summary>
    private void RemoveConnectionFields()
    {
        bool isAny = false;
        foreach (string name in HeaderText.ConnectionNames)
        {
            isAny |= _fields.Remove(name);
        }

        if (isAny)
        {
            Http2Log.FieldsRemoved(exchange.Connection.KestrelLogger, exchange.Connection.Context.ConnectionId, exchange.TraceIdentifier);
        }
    }

    /// <summary>The reactor reads them later, and the application may change its own dictionary meanwhile.</summary>
    private static Exception? Copy(IHeaderDictionary others, HeaderList own)
    {
        try
        {
            // They may read from the own ones.
            KeyValuePair<string, StringValues>[] all = [.. others];
            own.Forget();
            foreach ((string name, StringValues values) in all)
            {
                own[name] = values;
            }

            return null;
        }
        catch (Exception exception)
        {
            return exception;
        }
    }
}

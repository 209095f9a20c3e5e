using System.Globalization;

namespace Ioxide.Http2;

/// <summary>Adds the fields of one block to a request and checks them together (RFC 9113, section 8.3). Reusable.</summary>
/// <remarks>After a malformed field, decoding continues: the table must match the peer's.</remarks>
internal sealed class RequestFields : IHpackFields
{
    private Http2Stream? _stream;
    private HeaderList? _trailers;
    private Http2Options? _options;
    private bool _hasRegular;
    private int _pseudoSeen;
    private long _bytes;
    private int _count;

    /// <summary>Why the request is malformed, or null.</summary>
    internal string? Malformed { get; private set; }

    /// <summary>The fields exceed the allowed bytes or number.</summary>
    internal bool IsTooLarge { get; private set; }

    /// <summary>The fields exceed twice the allowed size: the connection ends without an answer.</summary>
    internal bool IsFarTooLarge => _options is { } options && _bytes > 2L * options.MaxHeaderBytes;

    /// <param name="options">The limits.</param>
    /// <param name="stream">The stream of the fields; null if they are dropped.</param>
    /// <param name="areTrailers">Whether they follow the body.</param>
    internal void Begin(Http2Options options, Http2Stream? stream, bool areTrailers)
    {
        _options = options;
        _stream = stream;
        _trailers = areTrailers ? stream?.Exchange.Request.Trailers : null;
        _hasRegular = areTrailers;
        _pseudoSeen = 0;
        _bytes = 0;
        _count = 0;
        Malformed = null;
        IsTooLarge = false;
    }

    void IHpackFields.OnField(HpackField field)
    {
        if (!Counts(field.Name.Length + field.Value.Length))
        {
            return;
        }

        if (_options!.RequestEncodings is null)
        {
            HeaderRule meaning = HeaderRule.Of(field);
            Take(meaning.Kind, meaning.Name, meaning.Value);
        }
        else
        {
            Read(field, field.Name, field.Value, null);
        }
    }

    void IHpackFields.OnLiteral(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNeverIndexed)
    {
        if (Counts(name.Length + value.Length))
        {
            if (tableName is not null)
            {
                _ = HeaderRule.Of(tableName);
            }

            Read(tableName, name, value, isNeverIndexed ? null : RecentValues.Here);
        }
    }

    private void Read(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, RecentValues? recent)
    {
        HeaderRule.Read(tableName, name, value, recent, _options!.RequestEncodings, out FieldKind kind, out string nameText, out string valueText);
        Take(kind, nameText, valueText);
    }

    private bool Counts(int bytes)
    {
        _bytes += bytes;
        _count++;
        IsTooLarge |= _bytes > _options!.MaxHeaderBytes || _count - PseudoCount > _options.MaxHeaderCount;
        return !IsTooLarge && Malformed is null && _stream is not null;
    }

    private const int PseudoCount = 5;

    private void Take(FieldKind kind, string name, string value)
    {
        Http2Stream stream = _stream!;
        switch (kind)
        {
            case FieldKind.Malformed:
                Malformed = name;
                return;
            case FieldKind.Method or FieldKind.Path or FieldKind.Scheme or FieldKind.Authority or FieldKind.Protocol:
                TakePseudo(stream, kind, value);
                return;
        }

        _hasRegular = true;
        if (_trailers is { } trailers)
        {
            trailers.AppendReceived(name, value);
            return;
        }

        if (_count - System.Numerics.BitOperations.PopCount((uint)_pseudoSeen) > _options!.MaxHeaderCount)
        {
            IsTooLarge = true;
            return;
        }

        if (kind == FieldKind.Cookie)
        {
            stream.Exchange.Request.AppendCookie(value);
            return;
        }

        if (kind == FieldKind.ContentLength && !TakeContentLength(stream, value))
        {
            return;
        }

        stream.Exchange.Request.Fields.AppendReceived(name, value);
    }

    private void TakePseudo(Http2Stream stream, FieldKind kind, string value)
    {
        int bit = 1 << (int)kind;
        if (_hasRegular)
        {
            Malformed = "A pseudo-header field stands behind a field, or in trailers.";
        }
        else if ((_pseudoSeen & bit) != 0)
        {
            Malformed = "A pseudo-header field stands there twice.";
        }
        else
        {
            _pseudoSeen |= bit;
            stream.Exchange.Request.SetPseudo(kind, value);
        }
    }

    private bool TakeContentLength(Http2Stream stream, string value)
    {
        bool isNumber = long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out long length);
        if (!isNumber || stream.DeclaredLength is not null)
        {
            Malformed = "The field Content-Length is not one number.";
            return false;
        }

        stream.DeclaredLength = length;
        return true;
    }
}

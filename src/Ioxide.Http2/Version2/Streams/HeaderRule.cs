using System.Text;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>The meaning of a request field: checked and turned into text, only once if a table holds it.</summary>
/// <param name="Kind">Its role in the protocol.</param>
/// <param name="Name">The name as applications know it; the reason if it is malformed.</param>
/// <param name="Value">The text.</param>
internal sealed record HeaderRule(FieldKind Kind, string Name, string Value)
{
    /// <summary>The meaning of a table's field, created on first use.</summary>
    internal static HeaderRule Of(HpackField field)
    {
        if (field.Meaning is HeaderRule meaning)
        {
            return meaning;
        }

        Read(null, field.Name, field.Value, null, null, out FieldKind kind, out string name, out string value);
        meaning = new HeaderRule(kind, name, value);

        // Reactors may create the same meaning of the same static field at the same time.
        field.Meaning = meaning;
        return meaning;
    }

    /// <summary>Reads a field: its role and its texts.</summary>
    /// <param name="tableName">The table field with the same name, or null.</param>
    /// <param name="name">The name's bytes.</param>
    /// <param name="value">The value's bytes.</param>
    /// <param name="recent">Where the value's text may be, and is kept; null if it must not be.</param>
    /// <param name="encodings">The encodings that the application has chosen; null for the default.</param>
    /// <param name="kind">Its role in the protocol.</param>
    /// <param name="nameText">The name as applications know it; the reason if it is malformed.</param>
    /// <param name="valueText">The value's text.</param>
    internal static void Read(
        HpackField? tableName,
        ReadOnlySpan<byte> name,
        ReadOnlySpan<byte> value,
        RecentValues? recent,
        Func<string, Encoding?>? encodings,
        out FieldKind kind,
        out string nameText,
        out string valueText)
    {
        string? text = TextOf(name, value, recent, encodings);
        valueText = text ?? "";
        if (text is null)
        {
            kind = FieldKind.Malformed;
            nameText = "A field's value has a character that is not allowed.";
            return;
        }

        if (tableName?.Meaning is HeaderRule { Kind: not FieldKind.Malformed } meaning)
        {
            kind = meaning.Kind;
            nameText = meaning.Name;
        }
        else if (name.Length > 0 && name[0] == (byte)':')
        {
            kind = PseudoOf(name);
            nameText = kind == FieldKind.Malformed ? "A pseudo-header field is not one of a request's." : "";
        }
        else if (!HeaderText.IsRequestName(name))
        {
            kind = FieldKind.Malformed;
            nameText = "A field's name has a character that is not allowed.";
        }
        else
        {
            nameText = HeaderText.NameOf(name);
            kind = KindOf(nameText);
        }

        if (kind == FieldKind.Regular && WhyForbidden(nameText, valueText) is { } reason)
        {
            kind = FieldKind.Malformed;
            nameText = reason;
        }
    }

    private static string? TextOf(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, RecentValues? recent, Func<string, Encoding?>? encodings)
    {
        if (encodings?.Invoke(HeaderText.NameOf(name)) is { } encoding)
        {
            return HeaderText.ValueOf(value, encoding);
        }

        if (recent?.Find(value) is { } known)
        {
            return known;
        }

        string? text = HeaderText.IsRequestValue(value) ? HeaderText.ValueOf(value) : null;
        if (text is not null)
        {
            recent?.Keep(value, text);
        }

        return text;
    }

    private static FieldKind PseudoOf(ReadOnlySpan<byte> name)
        => name.SequenceEqual(":method"u8) ? FieldKind.Method
            : name.SequenceEqual(":path"u8) ? FieldKind.Path
            : name.SequenceEqual(":scheme"u8) ? FieldKind.Scheme
            : name.SequenceEqual(":authority"u8) ? FieldKind.Authority
            : name.SequenceEqual(":protocol"u8) ? FieldKind.Protocol
            : FieldKind.Malformed;

    private static FieldKind KindOf(string name)
        => ReferenceEquals(name, HeaderNames.Cookie) ? FieldKind.Cookie
            : ReferenceEquals(name, HeaderNames.ContentLength) ? FieldKind.ContentLength
            : FieldKind.Regular;

    /// <summary>Connection fields of HTTP/1.1 are not allowed (RFC 9113, section 8.2.2).</summary>
    private static string? WhyForbidden(string name, string value)
        => ReferenceEquals(name, HeaderNames.Connection)
            || ReferenceEquals(name, HeaderNames.TransferEncoding)
            || ReferenceEquals(name, HeaderNames.Upgrade)
            || ReferenceEquals(name, HeaderNames.KeepAlive)
            || ReferenceEquals(name, HeaderNames.ProxyConnection)
                ? "A field belongs to a connection of HTTP/1.1."
            : ReferenceEquals(name, HeaderNames.TE) && !value.Equals("trailers", StringComparison.OrdinalIgnoreCase)
                ? "The field TE has another value than 'trailers'."
            : null;
}

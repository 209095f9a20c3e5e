using System.Buffers;
using System.Collections.Frozen;
using System.Text;
using Microsoft.Net.Http.Headers;

namespace Ioxide.Http2;

/// <summary>Allowed characters of fields (RFC 9110, section 5, and RFC 9113, section 8.2.1). Threads: any.</summary>
internal static class HeaderText
{
    private const string Token = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";

    private static readonly SearchValues<byte> s_lowerToken = SearchValues.Create(Encoding.ASCII.GetBytes(Token));
    private static readonly SearchValues<char> s_token = SearchValues.Create(Token + "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    private static readonly SearchValues<byte> s_brokenValue = SearchValues.Create("\0\r\n"u8);

    // Allowed in a response: tab and printable ASCII, as in Kestrel.
    private static readonly SearchValues<char> s_printable =
        SearchValues.Create([.. Enumerable.Range(0x20, 0x5F).Select(static code => (char)code), '\t']);

    // Not allowed in a response in any encoding.
    private static readonly SearchValues<char> s_control =
        SearchValues.Create([.. Enumerable.Range(0, 0x20).Select(static code => (char)code).Where(static code => code != '\t'), '\x7F']);

    private static readonly UTF8Encoding s_strictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private static readonly FrozenDictionary<string, string> s_names = MakeNames();

    private static readonly FrozenDictionary<string, string>.AlternateLookup<ReadOnlySpan<char>> s_namesBySpan =
        s_names.GetAlternateLookup<ReadOnlySpan<char>>();

    /// <summary>Fields about the connection, which HTTP/2 does not have (RFC 9113, section 8.2.2).</summary>
    internal static string[] ConnectionNames { get; } =
        [HeaderNames.Connection, HeaderNames.TransferEncoding, HeaderNames.KeepAlive, HeaderNames.Upgrade, HeaderNames.ProxyConnection];

    /// <summary>What a response's field means to the server. Most names are told apart by their lengths.</summary>
    internal static KnownFields KnownOf(string name) => name.Length switch
    {
        4 when Is(name, HeaderNames.Date) => KnownFields.Date,
        6 when Is(name, HeaderNames.Server) => KnownFields.Server,
        12 when Is(name, HeaderNames.ContentType) => KnownFields.ContentType,
        14 when Is(name, HeaderNames.ContentLength) => KnownFields.ContentLength,
        7 or 10 or 16 or 17 when ConnectionNames.Contains(name, StringComparer.OrdinalIgnoreCase) => KnownFields.Connection,
        _ => KnownFields.None,
    };

    private static bool Is(string name, string known) => name.Equals(known, StringComparison.OrdinalIgnoreCase);

    internal static bool IsRequestName(ReadOnlySpan<byte> name) => !name.IsEmpty && !name.ContainsAnyExcept(s_lowerToken);

    internal static bool IsToken(ReadOnlySpan<char> text) => !text.IsEmpty && !text.ContainsAnyExcept(s_token);

    internal static bool IsRequestValue(ReadOnlySpan<byte> value)
        => value.IsEmpty || (!value.ContainsAny(s_brokenValue) && value[0] is not ((byte)' ' or (byte)'\t')
            && value[^1] is not ((byte)' ' or (byte)'\t'));

    /// <summary>The first character that a response's field may not have, or -1.</summary>
    /// <param name="value">The value.</param>
    /// <param name="encoding">The encoding that the application has chosen for it; null for ASCII.</param>
    internal static int InvalidCharacterOf(string value, Encoding? encoding)
        => encoding is null ? value.AsSpan().IndexOfAnyExcept(s_printable) : value.AsSpan().IndexOfAny(s_control);

    /// <summary>The name as applications know it (<c>Content-Type</c>), or as received.</summary>
    internal static string NameOf(ReadOnlySpan<byte> name)
    {
        const int LongestKnown = 64;
        if (name.Length > LongestKnown)
        {
            return Encoding.ASCII.GetString(name);
        }

        Span<char> text = stackalloc char[LongestKnown];
        text = text[..Encoding.ASCII.GetChars(name, text)];
        return s_namesBySpan.TryGetValue(text, out string? known) ? known : new string(text);
    }

    /// <summary>The value of a request's field in an encoding that the application has chosen, or null if it is not valid.</summary>
    internal static string? ValueOf(ReadOnlySpan<byte> value, Encoding encoding)
    {
        try
        {
            string text = encoding.GetString(value);
            return text.AsSpan().ContainsAny('\0', '\r', '\n') ? null : text;
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    /// <summary>The value as UTF-8, or null if it is not valid.</summary>
    internal static string? ValueOf(ReadOnlySpan<byte> value)
    {
        if (Ascii.IsValid(value))
        {
            return Encoding.ASCII.GetString(value);
        }

        try
        {
            return s_strictUtf8.GetString(value);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    private static FrozenDictionary<string, string> MakeNames()
    {
        string[] names =
        [
            HeaderNames.Accept, HeaderNames.AcceptCharset, HeaderNames.AcceptEncoding, HeaderNames.AcceptLanguage,
            HeaderNames.AccessControlRequestHeaders, HeaderNames.AccessControlRequestMethod, HeaderNames.Allow,
            HeaderNames.Authorization, HeaderNames.Baggage, HeaderNames.CacheControl, HeaderNames.Connection, HeaderNames.ContentDisposition,
            HeaderNames.ContentEncoding, HeaderNames.ContentLanguage, HeaderNames.ContentLength, HeaderNames.ContentLocation,
            HeaderNames.ContentMD5, HeaderNames.ContentRange, HeaderNames.ContentType, HeaderNames.Cookie, HeaderNames.CorrelationContext,
            HeaderNames.Date, HeaderNames.DNT, HeaderNames.Expect, HeaderNames.Expires, HeaderNames.From, HeaderNames.GrpcAcceptEncoding,
            HeaderNames.GrpcEncoding, HeaderNames.GrpcMessage, HeaderNames.GrpcStatus, HeaderNames.GrpcTimeout, HeaderNames.Host,
            HeaderNames.IfMatch, HeaderNames.IfModifiedSince, HeaderNames.IfNoneMatch, HeaderNames.IfRange, HeaderNames.IfUnmodifiedSince,
            HeaderNames.KeepAlive, HeaderNames.LastModified, HeaderNames.Link, HeaderNames.MaxForwards, HeaderNames.Origin,
            HeaderNames.Pragma, HeaderNames.ProxyAuthorization, HeaderNames.ProxyConnection, HeaderNames.Range, HeaderNames.Referer,
            HeaderNames.RequestId, HeaderNames.SecWebSocketExtensions, HeaderNames.SecWebSocketKey, HeaderNames.SecWebSocketProtocol,
            HeaderNames.SecWebSocketVersion, HeaderNames.TE, HeaderNames.TraceParent, HeaderNames.TraceState, HeaderNames.Trailer,
            HeaderNames.TransferEncoding, HeaderNames.Translate, HeaderNames.Upgrade, HeaderNames.UpgradeInsecureRequests,
            HeaderNames.UserAgent, HeaderNames.Via, HeaderNames.Warning, HeaderNames.XRequestedWith,
        ];
        return names.ToFrozenDictionary(static name => name, static name => name, StringComparer.OrdinalIgnoreCase);
    }
}

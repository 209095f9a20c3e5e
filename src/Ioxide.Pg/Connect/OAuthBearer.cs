using System.Buffers;
using System.Text;
using System.Text.Json;

namespace Ioxide.Pg;

/// <summary>The messages of OAUTHBEARER, by which PostgreSQL 18 takes a bearer token.</summary>
/// <remarks>Source: RFC 7628, 3.1 and 3.2; RFC 6750, 2.1 (the characters of a token).</remarks>
internal static class OAuthBearer
{
    internal const string Mechanism = "OAUTHBEARER";

    // A server's answer is a few hundred bytes; an error quotes no more of it.
    private const int MaxQuotedLength = 500;

    private static readonly SearchValues<char> s_token =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=");

    /// <summary>Ends an exchange that the server has refused: it waits for this before it tells its error.</summary>
    internal static ReadOnlySpan<byte> Abandon => [0x01];

    /// <summary>The first message: the token, without an identity of another and without channel binding, which the mechanism lacks.</summary>
    /// <exception cref="PgAuthenticationException">It is no bearer token.</exception>
    internal static byte[] First(string token)
    {
        if (token.Length == 0 || token.AsSpan().ContainsAnyExcept(s_token))
        {
            // The token itself is in no message.
            throw new PgAuthenticationException(
                $"{nameof(PgDataSourceOptions.TokenProvider)} returned no bearer token: one consists of letters, digits and -._~+/= only. Return the "
                    + "token alone, without the word \"Bearer\".");
        }

        return Encoding.ASCII.GetBytes($"n,,\x01auth=Bearer {token}\x01\x01");
    }

    /// <summary>What the server says of a token that it refuses: the status, the scope that it needs, the provider's address.</summary>
    internal static string RefusalOf(ReadOnlySpan<byte> answer)
    {
        try
        {
            var reader = new Utf8JsonReader(answer);
            using JsonDocument document = JsonDocument.ParseValue(ref reader);
            if (document.RootElement.ValueKind == JsonValueKind.Object)
            {
                string[] said = [.. document.RootElement.EnumerateObject().Select(static item => $"{item.Name} {item.Value}")];
                return $"The server refused the token: {Quoted(string.Join(", ", said))}.";
            }
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // RFC 7628 asks for JSON, and half a surrogate pair in it is no text. What else a server says helps as well.
        }

        return $"The server refused the token: {Quoted(Encoding.UTF8.GetString(answer))}.";
    }

    private static string Quoted(string text)
    {
        string plain = string.Concat(text.Where(static c => !char.IsControl(c)));
        return plain.Length <= MaxQuotedLength ? plain : plain[..MaxQuotedLength];
    }
}

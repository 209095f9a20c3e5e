using System.Globalization;

namespace Ioxide.BadNetworkHost;

/// <summary>Bodies of a key between a client and what <see cref="Handlers"/> serves.</summary>
internal static class Bodies
{
    /// <summary>Receives so many bytes of a key.</summary>
    /// <param name="client">Its base address is the server's.</param>
    /// <param name="key">Of the bytes.</param>
    /// <param name="lengthBytes">How many.</param>
    /// <param name="pauseMs">How long the server waits after each piece.</param>
    internal static async Task<string> GetAsync(HttpClient client, long key, int lengthBytes, int pauseMs)
    {
        byte[] body = await client.GetByteArrayAsync(new Uri($"/down?key={key}&length={lengthBytes}&pause={pauseMs}", UriKind.Relative));
        return body.Length == lengthBytes && Payload.FirstDifference(body, key, 0) < 0 ? Outcome.Whole : $"{body.Length} bytes, not those of the key";
    }

    /// <summary>Sends so many bytes of a key.</summary>
    internal static async Task<string> PostAsync(HttpClient client, long key, int lengthBytes)
    {
        byte[] body = new byte[lengthBytes];
        Payload.Fill(body, key, 0);
        using var content = new ByteArrayContent(body);
        using HttpResponseMessage response = await client.PostAsync(new Uri($"/up?key={key}", UriKind.Relative), content);
        string answer = await response.Content.ReadAsStringAsync();
        return answer == string.Create(CultureInfo.InvariantCulture, $"{lengthBytes} -1") ? Outcome.Whole : answer;
    }
}

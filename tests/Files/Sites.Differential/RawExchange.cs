using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Files.Tests;

/// <summary>One connection of a comparison: sends bytes in segments and describes all that comes until the server ends it.</summary>
/// <param name="Answer">Status lines, fields in alphabetical order without <c>Date</c>, and digests of the bodies.</param>
/// <param name="WasReset">Bytes that the server had not read when it closed made the kernel reset the connection, and that may have taken a part of the answer along.</param>
internal sealed partial record RawExchange(string Answer, bool WasReset)
{
    internal static async Task<RawExchange> OfAsync(EndPoint endPoint, bool isHttps, MutatedRequest request)
    {
        using RawClient client = await RawClient.ConnectAsync(endPoint, isTls: isHttps);
        Task<bool> sending = TrySendAsync(client, request);
        Ended answer = await client.ReadToEndAsync();
        bool isSent = await sending.Within(60.Seconds());
        return new(Describe(Encoding.Latin1.GetString(answer.Bytes)), !isSent || answer.Ending == Ending.Reset);
    }

    private static async Task<bool> TrySendAsync(RawClient client, MutatedRequest request)
    {
        try
        {
            int start = 0;
            foreach (int cut in request.Cuts.Append(request.Bytes.Length))
            {
                await client.SendAsync(request.Bytes.AsMemory(start, cut - start));
                await Task.Yield();
                start = cut;
            }

            return true;
        }
        catch (SocketException)
        {
            // The server may end the connection before it has everything; what it answered is compared.
            return false;
        }
    }

    private static string Describe(string text)
    {
        if (Boundary().Match(text) is { Success: true } boundary)
        {
            text = text.Replace(boundary.Groups[1].Value, "*", StringComparison.Ordinal);
        }

        var described = new StringBuilder();
        // RFC 9110, section 10.1.1: a server that has received some of the content may leave it out, so it depends on how segments meet reads.
        text = text.Replace("HTTP/1.1 100 Continue\r\n\r\n", "", StringComparison.Ordinal);
        int[] starts = [.. StatusLine().Matches(text).Select(static match => match.Index), text.Length];
        described.Append(text[..starts[0]]);
        for (int index = 0; index + 1 < starts.Length; index++)
        {
            string[] parts = text[starts[index]..starts[index + 1]].Split("\r\n\r\n", 2);
            string[] lines = parts[0].Split("\r\n");
            described.Append(lines[0]).Append(" [")
                .AppendJoin("; ", lines.Skip(1).Where(static line => !line.StartsWith("Date: ", StringComparison.Ordinal)).Order(StringComparer.Ordinal))
                .Append("] ")
                .Append(parts.Length < 2 ? "cut" : Convert.ToHexString(SHA256.HashData(Encoding.Latin1.GetBytes(parts[1])))[..8])
                .Append('\n');
        }

        return described.ToString();
    }

    [GeneratedRegex(@"HTTP/1\.[01] \d{3} ")]
    private static partial Regex StatusLine();

    [GeneratedRegex("boundary=([0-9A-Za-z]+)")]
    private static partial Regex Boundary();
}

using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

namespace Ioxide.Files.Tests;

/// <summary>One connection of a comparison: sends bytes in segments and describes all that comes until the server ends it.</summary>
internal static partial class RawExchange
{
    /// <summary>Status lines, fields in alphabetical order without <c>Date</c>, digests of the bodies, and the end.</summary>
    internal static async Task<string> DescribeAsync(EndPoint endPoint, bool isHttps, MutatedRequest request)
    {
        using RawClient client = await RawClient.ConnectAsync(endPoint, isTls: isHttps);
        Task sending = SendAsync(client, request);

        // Bytes that the server had not read when it closed make the kernel reset the connection: that is the network's timing.
        Ended answer = await client.ReadToEndAsync();
        await sending.Within(60.Seconds());
        return Describe(Encoding.Latin1.GetString(answer.Bytes)) + "end";
    }

    private static async Task SendAsync(RawClient client, MutatedRequest request)
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
        }
        catch (SocketException)
        {
            // The server may end the connection before it has everything; what it answered is compared.
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

using System.Globalization;
using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Three requests on one connection and the bytes of their answers: a GET, a chunked POST whose body comes back in pieces
/// while it is read, and a GET that closes.
/// </summary>
internal sealed class Exchange
{
    internal const int PieceBytes = 10;

    private const string Head = "Host: localhost\r\nX-Padding: 0123456789 0123456789\r\n";
    private static readonly string[] s_chunks = ["cut after", "every byte: ", "0", "12345678901234567890123456789", "the end"];
    private static readonly byte[][] s_requests =
    [
        Encoding.ASCII.GetBytes($"GET /first HTTP/1.1\r\n{Head}\r\n"),
        Encoding.ASCII.GetBytes($"POST /echo HTTP/1.1\r\n{Head}Transfer-Encoding: chunked\r\n\r\n{Chunked(s_chunks)}"),
        Encoding.ASCII.GetBytes($"GET /last HTTP/1.1\r\n{Head}Connection: close\r\n\r\n"),
    ];

    private readonly byte[][] _answers;
    private readonly byte[] _all;

    private Exchange(byte[][] answers)
    {
        _answers = answers;
        _all = [.. answers.SelectMany(answer => answer)];
    }

    /// <summary>Everything that the client sends.</summary>
    internal static byte[] Sent { get; } = [.. s_requests.SelectMany(request => request)];

    /// <summary>Every count of bytes after which the client can stop: none, each, all.</summary>
    internal static IEnumerable<int> Cuts => Enumerable.Range(0, Sent.Length + 1);

    /// <summary>Runs it once to its end, checks what the answers say, and keeps their bytes.</summary>
    internal static async Task<Exchange> RecordAsync(TestServer server)
    {
        Assert.True(Sent.Length >= 300, $"The exchange has only {Sent.Length} bytes.");
        using RawClient client = await server.ConnectAsync();
        byte[][] answers = new byte[s_requests.Length][];
        for (int i = 0; i < answers.Length; i++)
        {
            await client.SendAsync(s_requests[i]);
            answers[i] = i < answers.Length - 1 ? (await client.ReadBytesOfResponseAsync()).Bytes : (await client.ReadToEndAsync()).Bytes;
        }

        Assert.All(answers, answer => Assert.StartsWith("HTTP/1.1 200 OK\r\n", Text(answer), StringComparison.Ordinal));
        Assert.EndsWith("\r\n\r\n/first", Text(answers[0]), StringComparison.Ordinal);
        IEnumerable<string> pieces = string.Concat(s_chunks).Chunk(PieceBytes).Select(piece => new string(piece));
        Assert.EndsWith($"\r\n\r\n{Chunked(pieces)}", Text(answers[1]), StringComparison.Ordinal);
        Assert.EndsWith("\r\n\r\n/last", Text(answers[2]), StringComparison.Ordinal);
        return new(answers);
    }

    /// <summary>Sends the first <paramref name="cut"/> bytes and gives what came back meanwhile.</summary>
    internal async Task<byte[]> SendAsync(RawClient client, int cut, Pace pace)
    {
        if (pace == Pace.AtOnce)
        {
            await client.SendAsync(Sent.AsMemory(0, cut));
            return [];
        }

        using MemoryStream received = new();
        for (int i = 0; i < s_requests.Length && cut > 0; i++)
        {
            await client.SendAsync(s_requests[i].AsMemory(0, Math.Min(cut, s_requests[i].Length)));
            if (cut >= s_requests[i].Length)
            {
                received.Write(await client.ReadExactlyAsync(_answers[i].Length));
            }

            cut -= s_requests[i].Length;
        }

        return received.ToArray();
    }

    /// <summary>The bytes of the answers to the requests that end within the first <paramref name="cut"/> bytes.</summary>
    internal int LengthOfWholeAnswers(int cut) => WholeRequests(cut).Sum(i => _answers[i].Length);

    /// <summary>
    /// Checks what a client got that sent <paramref name="cut"/> bytes: the right answers up to some byte, or whole right
    /// answers and then one whole rejection of a request that was cut.
    /// </summary>
    internal void AssertRightUpToTheCut(int cut, byte[] received)
    {
        int common = _all.AsSpan().CommonPrefixLength(received);
        if (common == received.Length)
        {
            return;
        }

        int rejectionStart = 0;
        for (int i = 0; rejectionStart + _answers[i].Length <= common; i++)
        {
            rejectionStart += _answers[i].Length;
        }

        bool isInsideRequest = cut > WholeRequests(cut).Sum(i => s_requests[i].Length);
        Assert.True(
            isInsideRequest && IsRejection(Text(received[rejectionStart..])),
            $"Cut after {cut} bytes, the client got, wrong from byte {common} on:\n{Text(received)}");
    }

    /// <summary>One whole answer 400 or 408 that ends the connection, and nothing behind it.</summary>
    internal static bool IsRejection(string text)
    {
        string[] lines = text.Split("\r\n");
        string[] status = lines[0].Split(' ');
        return status is ["HTTP/1.1", "400" or "408", ..]
            && lines.Contains("Content-Length: 0")
            && lines.Contains("Connection: close")
            && text.EndsWith("\r\n\r\n", StringComparison.Ordinal)
            && text.IndexOf("\r\n\r\n", StringComparison.Ordinal) == text.Length - 4;
    }

    private static IEnumerable<int> WholeRequests(int cut)
    {
        for (int i = 0; i < s_requests.Length && s_requests[i].Length <= cut; i++)
        {
            cut -= s_requests[i].Length;
            yield return i;
        }
    }

    private static string Chunked(IEnumerable<string> chunks) => string.Concat(chunks.Append("").Select(Chunk));

    private static string Chunk(string text) => string.Create(CultureInfo.InvariantCulture, $"{text.Length:x}\r\n{text}\r\n");

    private static string Text(byte[] bytes) => Encoding.Latin1.GetString(bytes);
}

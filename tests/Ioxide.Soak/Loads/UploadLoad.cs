using System.Globalization;

namespace Ioxide.Soak;

/// <summary>Bodies with a length and in chunks, sent in pieces of any size; the server checks each byte and tells.</summary>
internal sealed class UploadLoad(LoadSurroundings surroundings, int number, int seed)
    : Load(surroundings, "upload", number, seed)
{
    private const int UploadsPerConnection = 10;
    private const int MaxPieceBytes = 48 * 1024;

    private readonly byte[] _piece = new byte[MaxPieceBytes];

    protected override async Task RunSessionAsync()
    {
        using HttpConnection connection = await HttpConnection.ConnectAsync(Target.Main, Lane, Counters);
        for (int i = 0; i < UploadsPerConnection && Gate.IsOpen; i++)
        {
            long key = Random.NextInt64();
            int length = Random.Next(1 << Random.Next(1, 22));
            bool isChunked = Random.Next(2) == 0;
            string framing = isChunked ? "Transfer-Encoding: chunked" : Text($"Content-Length: {length}");
            await connection.SendAsync(Text($"POST /check?key={key} HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n\r\n"));
            await SendBodyAsync(connection, key, length, isChunked);
            string answer = await connection.ReadTextAsync();
            if (answer != Text($"{length} 0"))
            {
                Counters.AddWrongBytes(1, $"{Lane.Name}: of {length} bytes the server says '{answer}'");
            }

            Counters.Answered(Name);
        }
    }

    private async Task SendBodyAsync(HttpConnection connection, long key, int length, bool isChunked)
    {
        for (int offset = 0; offset < length;)
        {
            int count = Math.Min(Random.Next(1, MaxPieceBytes + 1), length - offset);
            Pattern.Fill(_piece.AsSpan(0, count), key, offset);
            offset += count;
            if (isChunked)
            {
                await connection.SendAsync(Text($"{count:x}\r\n"));
            }

            await connection.SendAsync(_piece.AsMemory(0, count));
            if (isChunked)
            {
                await connection.SendAsync("\r\n");
            }
        }

        if (isChunked)
        {
            await connection.SendAsync("0\r\n\r\n");
        }
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

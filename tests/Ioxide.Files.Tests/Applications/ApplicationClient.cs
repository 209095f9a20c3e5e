using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.Files.Tests;

/// <summary>Asks one port: several requests at once over one connection, which is opened again where the server has ended it.</summary>
internal sealed class ApplicationClient(IPEndPoint endPoint) : IDisposable
{
    private byte[] _buffer = new byte[16 * 1024];
    private Socket? _socket;
    private int _start;
    private int _end;

    /// <summary>Sends all and reads their answers. What was sent behind an answer that ends the connection is sent again on the next one.</summary>
    internal async Task<ApplicationAnswer[]> AskAsync(IReadOnlyList<ApplicationRequest> requests, IReadOnlyList<string> texts)
    {
        var answers = new ApplicationAnswer[requests.Count];
        for (int done = 0; done < requests.Count;)
        {
            bool isFresh = _socket is null;
            _socket ??= await ConnectAsync();
            int before = done;
            try
            {
                await SendAsync(string.Concat(texts.Skip(done)));
                for (bool isOpen = true; isOpen && done < requests.Count;)
                {
                    ApplicationAnswer answer = await ReadAsync(requests[done].IsHead);
                    answers[done++] = answer;
                    isOpen = !answer.IsLast;
                }
            }
            catch (Exception exception) when (exception is EndOfStreamException or SocketException)
            {
                if (isFresh && done == before)
                {
                    answers[done++] = ApplicationAnswer.None($"The connection ended without an answer: {exception.GetType().Name}.");
                }

                Close();
                continue;
            }

            if (answers[done - 1].IsLast || requests[done - 1].IsLast)
            {
                Close();
            }
        }

        return answers;
    }

    public void Dispose() => Close();

    private void Close()
    {
        _socket?.Dispose();
        _socket = null;
    }

    private async Task<Socket> ConnectAsync()
    {
        _start = _end = 0;
        Socket socket = RawClient.CreateSocket(endPoint);
        await socket.ConnectAsync(endPoint).Within(60.Seconds());
        return socket;
    }

    private async Task SendAsync(string text)
    {
        for (ReadOnlyMemory<byte> rest = Encoding.Latin1.GetBytes(text); !rest.IsEmpty;)
        {
            rest = rest[await _socket!.SendAsync(rest).Within(60.Seconds())..];
        }
    }

    private async Task<ApplicationAnswer> ReadAsync(bool isHead)
    {
        string statusLine = await ReadLineAsync();
        List<KeyValuePair<string, string>> fields = [];
        for (string line = await ReadLineAsync(); line.Length > 0; line = await ReadLineAsync())
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            fields.Add(new(line[..colon], line[(colon + 1)..].Trim()));
        }

        int status = int.Parse(statusLine.AsSpan(9, 3), CultureInfo.InvariantCulture);
        bool hasBody = !isHead && status is not (204 or 304) && status >= 200;
        return ApplicationAnswer.Of(statusLine, fields, hasBody ? await ReadBodyAsync(fields) : []);
    }

    private async Task<byte[]> ReadBodyAsync(List<KeyValuePair<string, string>> fields)
    {
        using MemoryStream body = new();
        if (fields.FirstOrDefault(static field => field.Key == "Content-Length").Value is { } length)
        {
            await ReadExactlyAsync(body, int.Parse(length, CultureInfo.InvariantCulture));
        }
        else if (fields.Any(static field => field is { Key: "Transfer-Encoding", Value: "chunked" }))
        {
            int chunkBytes;
            do
            {
                chunkBytes = int.Parse(await ReadLineAsync(), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
                await ReadExactlyAsync(body, chunkBytes);
                Assert.Equal("", await ReadLineAsync());
            }
            while (chunkBytes > 0);
        }
        else
        {
            do
            {
                await ReadExactlyAsync(body, _end - _start);
            }
            while (await FillAsync());
        }

        return body.ToArray();
    }

    private async Task<string> ReadLineAsync()
    {
        while (true)
        {
            int length = _buffer.AsSpan(_start, _end - _start).IndexOf("\r\n"u8);
            if (length >= 0)
            {
                string line = Encoding.Latin1.GetString(_buffer, _start, length);
                _start += length + 2;
                return line;
            }

            if (!await FillAsync())
            {
                throw new EndOfStreamException();
            }
        }
    }

    private async Task ReadExactlyAsync(MemoryStream destination, int lengthBytes)
    {
        while (lengthBytes > 0)
        {
            if (_start == _end && !await FillAsync())
            {
                throw new EndOfStreamException();
            }

            int count = Math.Min(lengthBytes, _end - _start);
            destination.Write(_buffer, _start, count);
            _start += count;
            lengthBytes -= count;
        }
    }

    private async Task<bool> FillAsync()
    {
        if (_start == _end)
        {
            _start = _end = 0;
        }
        else if (_end == _buffer.Length)
        {
            byte[] larger = _start > 0 ? _buffer : new byte[_buffer.Length * 2];
            _buffer.AsSpan(_start, _end - _start).CopyTo(larger);
            _end -= _start;
            _start = 0;
            _buffer = larger;
        }

        int count = await _socket!.ReceiveAsync(_buffer.AsMemory(_end)).Within(60.Seconds());
        _end += count;
        return count > 0;
    }
}

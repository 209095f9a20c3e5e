namespace SocketServer;

/// <summary>Counts the requests in a stream: a request ends with an empty line, wherever receives split it.</summary>
internal struct RequestScanner
{
    /// <summary>How many bytes of the empty line the data so far ended with, 0 to 3.</summary>
    private int _seen;

    private static ReadOnlySpan<byte> EmptyLine => "\r\n\r\n"u8;

    internal int Count(ReadOnlySpan<byte> data)
    {
        int requestCount = 0;
        while (true)
        {
            while (_seen != 0 && !data.IsEmpty)
            {
                byte next = data[0];
                data = data[1..];
                _seen = next == EmptyLine[_seen] ? _seen + 1 : next == (byte)'\r' ? 1 : 0;
                if (_seen == EmptyLine.Length)
                {
                    requestCount++;
                    _seen = 0;
                }
            }

            if (data.IsEmpty)
            {
                return requestCount;
            }

            int index = data.IndexOf(EmptyLine);
            if (index < 0)
            {
                _seen = PartialLength(data);
                return requestCount;
            }

            requestCount++;
            data = data[(index + EmptyLine.Length)..];
        }
    }

    private static int PartialLength(ReadOnlySpan<byte> data)
    {
        for (int length = EmptyLine.Length - 1; length > 0; length--)
        {
            if (data.EndsWith(EmptyLine[..length]))
            {
                return length;
            }
        }

        return 0;
    }
}

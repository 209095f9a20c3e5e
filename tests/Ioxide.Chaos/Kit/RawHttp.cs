using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.Chaos;

/// <summary>Just enough HTTP/1.1 on the runtime alone: the host's <c>/pattern</c>, <c>/blank</c>, <c>/echo</c>, <c>/slow</c> and
/// <c>/stats</c>.</summary>
internal static class RawHttp
{
    /// <summary>Bytes that a handler writes before it flushes.</summary>
    internal const int ChunkBytes = 16 * 1024;

    /// <summary>Serves requests one after the other until the peer ends or asks for the end.</summary>
    internal static async Task ServeAsync(RingConnection connection)
    {
        while (await ReadHeadAsync(connection.Input) is { } head)
        {
            RawRequest request = RawRequest.Parse(head);
            bool goesOn = request.Path switch
            {
                "/pattern" => await PatternAsync(connection, request),
                "/blank" => await WriteAsync(connection, request, static (bytes, _) => bytes.Clear()),
                "/echo" => await EchoAsync(connection, request),
                "/slow" => await SlowAsync(connection, request),
                "/stats" => await StatsAsync(connection, request),
                _ => false,
            };
            if (!goesOn || request.IsLast)
            {
                return;
            }
        }
    }

    private static async Task<string?> ReadHeadAsync(PipeReader input)
    {
        while (true)
        {
            ReadResult read = await input.ReadAsync();
            if (TryTakeHead(read.Buffer, out SequencePosition end) is { } head)
            {
                input.AdvanceTo(end);
                return head;
            }

            input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            if (read.IsCompleted)
            {
                return null;
            }
        }
    }

    private static string? TryTakeHead(ReadOnlySequence<byte> buffer, out SequencePosition end)
    {
        var reader = new SequenceReader<byte>(buffer);
        bool isWhole = reader.TryReadTo(out ReadOnlySequence<byte> head, "\r\n\r\n"u8);
        end = reader.Position;
        return isWhole ? Encoding.Latin1.GetString(head) : null;
    }

    private static ValueTask<bool> PatternAsync(RingConnection connection, RawRequest request)
        => WriteAsync(connection, request, (bytes, offset) => KeyedPattern.Fill(bytes, request.Key, offset));

    private static async ValueTask<bool> WriteAsync(RingConnection connection, RawRequest request, Action<Span<byte>, int> fill)
    {
        int lengthBytes = request.Number("length");
        WriteHead(connection.Output, lengthBytes);
        for (int offset = 0; offset < lengthBytes;)
        {
            int count = Math.Min(ChunkBytes, lengthBytes - offset);
            fill(connection.Output.GetSpan(count)[..count], offset);
            connection.Output.Advance(count);
            offset += count;
            if ((await connection.Output.FlushAsync()).IsCompleted)
            {
                return false;
            }
        }

        return !(await connection.Output.FlushAsync()).IsCompleted;
    }

    private static async ValueTask<bool> EchoAsync(RingConnection connection, RawRequest request)
    {
        WriteHead(connection.Output, request.BodyBytes);
        for (long left = request.BodyBytes; left > 0;)
        {
            ReadResult read = await connection.Input.ReadAsync();
            ReadOnlySequence<byte> body = read.Buffer.Slice(0, Math.Min(left, read.Buffer.Length));
            foreach (ReadOnlyMemory<byte> segment in body)
            {
                connection.Output.Write(segment.Span);
            }

            left -= body.Length;
            connection.Input.AdvanceTo(body.End);
            if ((await connection.Output.FlushAsync()).IsCompleted || (read.IsCompleted && left > 0))
            {
                return false;
            }
        }

        return !(await connection.Output.FlushAsync()).IsCompleted;
    }

    private static async ValueTask<bool> SlowAsync(RingConnection connection, RawRequest request)
    {
        await connection.Reactor.DelayAsync(TimeSpan.FromMilliseconds(request.Number("ms")));
        return await PatternAsync(connection, request);
    }

    private static async ValueTask<bool> StatsAsync(RingConnection connection, RawRequest request)
    {
        byte[] json = Encoding.Latin1.GetBytes(HostStats.Read(connection.Reactor.Group, request.Number("collect") != 0).ToJson());
        WriteHead(connection.Output, json.Length);
        connection.Output.Write(json);
        return !(await connection.Output.FlushAsync()).IsCompleted;
    }

    private static void WriteHead(SendPipe output, int lengthBytes)
        => output.Write(Encoding.Latin1.GetBytes($"HTTP/1.1 200 OK\r\nContent-Length: {lengthBytes}\r\n\r\n"));
}

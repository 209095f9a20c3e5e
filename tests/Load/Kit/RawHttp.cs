using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Ioxide.LoadKit;

/// <summary>Just enough HTTP/1.1 on the runtime alone: the server's <c>/pattern</c>, <c>/blank</c>, <c>/echo</c> and <c>/slow</c>.</summary>
internal static class RawHttp
{
    /// <summary>Serves requests one after the other until the peer ends or asks for the end.</summary>
    internal static async Task ServeAsync(RingConnection connection)
    {
        while (await ReadHeadAsync(connection.Input) is { } head)
        {
            RawRequest request = RawRequest.Parse(head);
            bool goesOn = request.Path switch
            {
                "/pattern" => await WriteAsync(connection, request, request.Key),
                "/blank" => await WriteAsync(connection, request, key: null),
                "/echo" => await EchoAsync(connection, request),
                "/slow" => await SlowAsync(connection, request),
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

    private static async ValueTask<bool> WriteAsync(RingConnection connection, RawRequest request, long? key)
    {
        int lengthBytes = request.Number("length");
        WriteHead(connection.Output, lengthBytes);
        return await Streams.WriteAsync(connection.Output, lengthBytes, key) && !(await connection.Output.FlushAsync()).IsCompleted;
    }

    private static async ValueTask<bool> EchoAsync(RingConnection connection, RawRequest request)
    {
        WriteHead(connection.Output, request.BodyBytes);
        return await Streams.EchoAsync(connection.Input, connection.Output, request.BodyBytes)
            && !(await connection.Output.FlushAsync()).IsCompleted;
    }

    private static async ValueTask<bool> SlowAsync(RingConnection connection, RawRequest request)
    {
        await connection.Reactor.DelayAsync(TimeSpan.FromMilliseconds(request.Number("ms")));
        return await WriteAsync(connection, request, request.Key);
    }

    private static void WriteHead(SendPipe output, int lengthBytes)
        => output.Write(Encoding.Latin1.GetBytes($"HTTP/1.1 200 OK\r\nContent-Length: {lengthBytes}\r\n\r\n"));
}

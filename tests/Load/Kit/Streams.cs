using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.LoadKit;

/// <summary>Bodies of answers, on the runtime alone and on Kestrel.</summary>
internal static class Streams
{
    /// <summary>Bytes that are written before they are flushed.</summary>
    internal const int PieceBytes = 16 * 1024;

    /// <summary>Writes so many bytes of a key, or zeros.</summary>
    /// <returns>Whether the peer still reads.</returns>
    internal static async ValueTask<bool> WriteAsync(PipeWriter output, int lengthBytes, long? key, CancellationToken aborted = default)
    {
        for (int offset = 0; offset < lengthBytes;)
        {
            int count = Math.Min(PieceBytes, lengthBytes - offset);
            Fill(output.GetSpan(count)[..count], key, offset);
            output.Advance(count);
            offset += count;
            if ((await output.FlushAsync(CancellationToken.None)).IsCompleted || aborted.IsCancellationRequested)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Sends back so many bytes.</summary>
    /// <returns>Whether all came, and the peer still reads.</returns>
    internal static async ValueTask<bool> EchoAsync(PipeReader input, PipeWriter output, long lengthBytes)
    {
        for (long left = lengthBytes; left > 0;)
        {
            ReadResult read = await input.ReadAsync();
            ReadOnlySequence<byte> body = read.Buffer.Slice(0, Math.Min(left, read.Buffer.Length));
            foreach (ReadOnlyMemory<byte> segment in body)
            {
                output.Write(segment.Span);
            }

            left -= body.Length;
            input.AdvanceTo(body.End);
            if ((await output.FlushAsync()).IsCompleted || (read.IsCompleted && left > 0))
            {
                return false;
            }
        }

        return true;
    }

    private static void Fill(Span<byte> bytes, long? key, long offset)
    {
        if (key is { } value)
        {
            Payload.Fill(bytes, value, offset);
        }
        else
        {
            bytes.Clear();
        }
    }
}

using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.TestKit;

/// <summary>A handler that sends back what it receives.</summary>
internal static class EchoHandler
{
    internal static async Task RunAsync(RingConnection connection)
    {
        while (true)
        {
            ReadResult read = await connection.Input.ReadAsync().ConfigureAwait(true);
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
            {
                connection.Output.Write(segment.Span);
            }

            connection.Input.AdvanceTo(read.Buffer.End);
            await connection.Output.FlushAsync().ConfigureAwait(true);
            if (read.IsCompleted)
            {
                return;
            }
        }
    }
}

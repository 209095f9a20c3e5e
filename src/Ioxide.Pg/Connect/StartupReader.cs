using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Pg;

/// <summary>Reads one message at a time while a session starts. Later bytes stay in the pipe.</summary>
internal sealed class StartupReader(PipeReader input, ServerEndpoint server)
{
    /// <summary>Far above any message that a server sends at the start.</summary>
    internal const int MaxMessageBytes = 64 * 1024;

    private readonly MessageScratch _scratch = new(MaxMessageBytes);

    /// <summary>The current step, for the error if the connection ends.</summary>
    internal string During { get; set; } = "the session was starting";

    internal async ValueTask<(byte Type, byte[] Body)> NextAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                ReadResult result = await input.ReadAsync(cancellationToken).ConfigureAwait(true);
                if (TryTake(result.Buffer, out byte type, out byte[] body))
                {
                    return (type, body);
                }

                if (result.IsCompleted)
                {
                    string cut = result.Buffer.IsEmpty ? "" : " in the middle of a message";
                    throw new PgConnectionException($"{server} closed the connection{cut} while {During}.");
                }
            }
        }
        catch (IOException exception)
        {
            throw new PgConnectionException($"The connection to {server} was lost while {During}: {exception.Message}", exception);
        }
        finally
        {
            _scratch.Release();
        }
    }

    private bool TryTake(in ReadOnlySequence<byte> received, out byte type, out byte[] body)
    {
        var reader = new MessageReader(received, _scratch);
        if (reader.TryRead(out type, out ReadOnlySpan<byte> span))
        {
            body = span.ToArray();
            input.AdvanceTo(reader.Consumed);
            return true;
        }

        body = [];
        input.AdvanceTo(received.Start, received.End);
        return false;
    }
}

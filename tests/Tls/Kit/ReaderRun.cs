using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tls.Tests;

/// <summary>What a session's reader makes of a stream that lies in memory.</summary>
internal sealed class ReaderRun : IControlTarget
{
    private readonly ArrayBufferWriter<byte> _data = new(128);

    internal ReadOnlyMemory<byte> Data => _data.WrittenMemory;

    /// <summary>Why it failed, or null for an end that the peer said.</summary>
    internal TlsFailure? Failure { get; private set; }

    internal int ToldFailures { get; private set; }

    internal bool HasNewKeys { get; private set; }

    /// <summary>Reads to the end.</summary>
    internal static ReaderRun Of(RecordPair pair, ulong firstNumber, byte[] stream)
    {
        ReaderRun run = new();
        pair.Opener.Sequence = firstNumber;
        PipeReader input = PipeReader.Create(new ReadOnlySequence<byte>(stream));

        // What lies in memory is read without a wait, so that no reactor is asked for.
        TlsBufferSession session = new(pair.Sealer, pair.Opener, isServer: true);
        TlsReader reader = new(null!, input, resumesOnThreadPool: false, session, run, TlsSessionKind.Strict);
        try
        {
            run.ReadToEnd(reader);
        }
        catch (TlsException exception)
        {
            run.Failure = exception.Failure;
        }

        return run;
    }

    void IControlTarget.Fail(TlsException error, TlsAlert? alert) => ToldFailures++;

    void IControlTarget.NotePeerKeyUpdate(bool isAnswerRequested) => HasNewKeys = true;

    void IControlTarget.RefuseRenegotiation()
    {
        // The session goes on.
    }

    private void ReadToEnd(TlsReader reader)
    {
        while (true)
        {
            ValueTask<ReadResult> read = reader.ReadAsync();
            ReadResult result = read.IsCompleted
                ? read.Result
                : throw new InvalidOperationException("The reader waits for more than there is.");
            foreach (ReadOnlyMemory<byte> piece in result.Buffer)
            {
                _data.Write(piece.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }
}

using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tls;

/// <summary>Drives a handshake over a connection's pipes.</summary>
internal static class HandshakeRun
{
    private const byte FatalLevel = 2;

    /// <summary>Waits for a whole record and leaves it in the reader.</summary>
    internal static async ValueTask WaitForRecordAsync(PipeReader input, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult read = await input.ReadAsync(cancellationToken).ConfigureAwait(true);
            bool isWhole;
            try
            {
                isWhole = IsWhole(read, out _);
            }
            catch
            {
                input.AdvanceTo(read.Buffer.Start);
                throw;
            }

            input.AdvanceTo(read.Buffer.Start, isWhole ? read.Buffer.Start : read.Buffer.End);
            if (isWhole)
            {
                return;
            }
        }
    }

    /// <summary>Runs it to its end. Returns the session, and frees the handshake in any case.</summary>
    /// <exception cref="TlsException">It failed; the peer was told.</exception>
    internal static async ValueTask<TlsSession> RunAsync(
        RingConnection connection, Handshake handshake, HandshakeSettings settings, TlsSessionKind kind, CancellationToken cancellationToken)
    {
        using (handshake)
        {
            bool isDone = false;
            if (!settings.IsServer)
            {
                isDone = await StepAsync(connection, handshake, settings, default, cancellationToken).ConfigureAwait(true);
            }

            while (!isDone)
            {
                ReadResult read = await connection.Input.ReadAsync(cancellationToken).ConfigureAwait(true);
                SequencePosition consumed = read.Buffer.Start;
                SequencePosition examined = read.Buffer.End;
                try
                {
                    if (IsWhole(read, out int recordBytes))
                    {
                        ReadOnlySequence<byte> record = read.Buffer.Slice(0, recordBytes);
                        isDone = await StepAsync(connection, handshake, settings, record, cancellationToken).ConfigureAwait(true);
                        consumed = record.End;
                        examined = record.End;
                    }
                }
                finally
                {
                    connection.Input.AdvanceTo(consumed, examined);
                }
            }

            TlsSessionInfo info = handshake.TakeInfo();
            (RecordSealer sealer, RecordOpener opener) = handshake.TakeKeys(RecordSuite.Of(info.CipherSuite));
            var session = new TlsSession(connection, info, sealer, opener, settings, kind);
            if (settings.KernelOffload == TlsKernelOffload.Require)
            {
                await HandOverAsync(connection, session, cancellationToken).ConfigureAwait(true);
            }

            return session;
        }
    }

    /// <summary>Waits until what the handshake wrote is sent, so that the application's first byte is the kernel's to encrypt.</summary>
    private static async ValueTask HandOverAsync(RingConnection connection, TlsSession session, CancellationToken cancellationToken)
    {
        try
        {
            await connection.WhenSendIdle().WaitAsync(cancellationToken).ConfigureAwait(true);
            session.Output.HandOver();
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }

    /// <summary>Tells a peer in clear text, before there are keys, that this is the end.</summary>
    internal static void SendClearAlert(RingConnection connection, TlsAlert alert)
    {
        ReadOnlySpan<byte> record = [(byte)RecordType.Alert, 3, 3, 0, 2, FatalLevel, (byte)alert];
        connection.Output.Write(record);
        connection.Output.Submit();
    }

    private static bool IsWhole(in ReadResult read, out int recordBytes)
    {
        bool isWhole = RecordHeader.IsWhole(read.Buffer, RecordHeader.MaxExpansion12, out RecordHeader header);
        recordBytes = RecordHeader.SizeInBytes + header.LengthBytes;
        if (!isWhole && read.IsCompleted)
        {
            throw new TlsException(TlsFailure.Truncated, "The peer closed the connection during the handshake.");
        }

        if (!isWhole && read.IsCanceled)
        {
            throw new OperationCanceledException("The read was cancelled during the handshake.");
        }

        return isWhole;
    }

    private static async ValueTask<bool> StepAsync(
        RingConnection connection, Handshake handshake, HandshakeSettings settings, ReadOnlySequence<byte> record,
        CancellationToken cancellationToken)
    {
        bool isDone;
        handshake.ResetCount();
        try
        {
            isDone = settings.StepsOnPool
                ? await Task.Run(() => handshake.Step(record), CancellationToken.None).ConfigureAwait(true)
                : handshake.Step(record);
        }
        catch (TlsException)
        {
            handshake.TakeOutput(connection.Output);
            connection.Output.Submit();
            throw;
        }

        if (handshake.TakeOutput(connection.Output))
        {
            await connection.Output.FlushAsync(cancellationToken).ConfigureAwait(true);
        }

        return isDone;
    }
}

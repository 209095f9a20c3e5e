namespace Ioxide.Tls;

/// <summary>Drives a handshake over a connection's pipes.</summary>
internal static class HandshakeDriver
{
    /// <summary>Waits for a client's whole hello and leaves it in the reader.</summary>
    internal static async ValueTask<HelloInfo> WaitForHelloAsync(PipeReader input, HandshakeThread place, CancellationToken cancellationToken)
    {
        var scan = new HelloScan(isSecond: false);
        var info = default(HelloInfo);
        bool isWhole = false;
        while (!isWhole)
        {
            ReadResult read = await input.ReadAsync(cancellationToken).ConfigureAwait(true);
            try
            {
                isWhole = scan.IsWhole(read.Buffer, out int lengthBytes);
                CheckEnd(read, isWhole);
                place.NotePartOfHello(read.Buffer);
                info = isWhole ? HelloInfo.Read(read.Buffer.Slice(0, lengthBytes)) : info;
            }
            finally
            {
                input.AdvanceTo(read.Buffer.Start, isWhole ? read.Buffer.Start : read.Buffer.End);
            }
        }

        return info;
    }

    /// <summary>Runs it to its end. Where it fails, what it holds is freed. A client has no place.</summary>
    /// <exception cref="TlsException">It failed. The peer got an alert.</exception>
    internal static async ValueTask<TlsSession> RunAsync(
        RingConnection connection, TlsContext context, HandshakeSettings settings, TlsSessionKind kind, HandshakeThread? place,
        CancellationToken cancellationToken)
    {
        var buffers = new TlsBufferSession(settings, context);
        TlsSession session;
        try
        {
            bool isDone = !settings.IsServer
                && await StepAsync(connection, buffers, settings, place, default, cancellationToken).ConfigureAwait(true);
            while (!isDone)
            {
                byte[] records = await ReadAsync(connection.Input, buffers, cancellationToken).ConfigureAwait(true);
                isDone = await StepAsync(connection, buffers, settings, place, records, cancellationToken).ConfigureAwait(true);
            }

            session = new TlsSession(connection, buffers.BeginRecords(), buffers, settings.KernelOffload, kind);
        }
        catch
        {
            buffers.Dispose();
            throw;
        }

        await CheckAbsenceAsync(settings, session).ConfigureAwait(true);
        if (settings.KernelOffload == TlsKernelOffload.Require)
        {
            await OffloadAsync(connection, session, cancellationToken).ConfigureAwait(true);
        }

        return session;
    }

    /// <summary>
    /// OpenSSL asks the application about a client's certificate, and not about its absence. SslStream asks about that too, also where no
    /// certificate is requested.
    /// </summary>
    [ApplicationSide]
    private static async ValueTask CheckAbsenceAsync(HandshakeSettings settings, TlsSession session)
    {
        try
        {
            if (settings.AcceptsAbsence is not { } accepts || session.Info.PeerCertificate is not null || accepts())
            {
                return;
            }
        }
        catch (Exception exception)
        {
            session.Output.Fail(TlsAlert.InternalError);
            await session.DisposeAsync().ConfigureAwait(true);
            throw TlsException.OfApplication(exception);
        }

        session.Output.Fail(session.Info.Protocol == SslProtocols.Tls13 ? TlsAlert.CertificateRequired : TlsAlert.HandshakeFailure);
        await session.DisposeAsync().ConfigureAwait(true);
        throw new TlsException(TlsFailure.Certificate, "The client has no certificate, and the application does not accept that.");
    }

    /// <summary>Waits until what the handshake wrote is sent, so that the application's first byte is the kernel's to encrypt.</summary>
    private static async ValueTask OffloadAsync(RingConnection connection, TlsSession session, CancellationToken cancellationToken)
    {
        try
        {
            await connection.Sender.WhenIdleAsync().WaitAsync(cancellationToken).ConfigureAwait(true);
            session.Output.OffloadToKernel();
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(true);
            throw;
        }
    }

    /// <summary>Sends a fatal alert in clear text, before there are keys.</summary>
    internal static void SendClearAlert(RingConnection connection, TlsAlert alert)
    {
        ReadOnlySpan<byte> record = [(byte)RecordType.Alert, 3, 3, 0, 2, UserSending.Fatal, (byte)alert];
        connection.Output.Write(record);
        connection.Output.Submit();
    }

    /// <summary>
    /// Waits for a whole record, or a whole hello where one is due, and copies it: the step needs nothing of the connection's.
    /// </summary>
    private static async ValueTask<byte[]> ReadAsync(PipeReader input, TlsBufferSession session, CancellationToken cancellationToken)
    {
        var scan = new HelloScan(session.HasAskedAgain);
        byte[]? records = null;
        while (records is null)
        {
            ReadResult read = await input.ReadAsync(cancellationToken).ConfigureAwait(true);
            SequencePosition consumed = read.Buffer.Start;
            SequencePosition examined = read.Buffer.End;
            try
            {
                bool isWhole = session.AwaitsHello
                    ? scan.IsWhole(read.Buffer, out int lengthBytes)
                    : IsWholeRecord(read.Buffer, out lengthBytes);
                CheckEnd(read, isWhole);
                if (isWhole)
                {
                    records = read.Buffer.Slice(0, lengthBytes).ToArray();
                    consumed = examined = read.Buffer.GetPosition(lengthBytes);
                }
            }
            finally
            {
                input.AdvanceTo(consumed, examined);
            }
        }

        return records;
    }

    private static bool IsWholeRecord(in ReadOnlySequence<byte> buffer, out int lengthBytes)
    {
        bool isWhole = RecordHeader.IsWhole(buffer, RecordHeader.MaxExpansion12, out RecordHeader header);
        lengthBytes = RecordHeader.SizeInBytes + header.LengthBytes;
        if (isWhole)
        {
            HelloScan.ThrowIfEmpty(header);
        }

        return isWhole;
    }

    private static void CheckEnd(in ReadResult read, bool isWhole)
    {
        if (!isWhole && read.IsCompleted)
        {
            throw new TlsException(TlsFailure.Truncated, "The peer closed the connection during the handshake.");
        }

        if (!isWhole && read.IsCanceled)
        {
            throw new OperationCanceledException("The read was cancelled during the handshake.");
        }
    }

    private static async ValueTask<bool> StepAsync(
        RingConnection connection, TlsBufferSession session, HandshakeSettings settings, HandshakeThread? place, ReadOnlyMemory<byte> records,
        CancellationToken cancellationToken)
    {
        try
        {
            _ = place is not null
                ? await HandshakeScheduler.Of(connection.Reactor).RunAsync(session, settings, place, records, cancellationToken).ConfigureAwait(true)
                : settings.StepsOnPool
                    ? await Task.Run(() => session.Handshake(records.Span, default, out _), CancellationToken.None).ConfigureAwait(true)
                    : session.Handshake(records.Span, default, out _);
        }
        catch (TlsException)
        {
            _ = TakeOutput(connection, session);
            connection.Output.Submit();
            throw;
        }

        if (!session.IsHandshakeComplete)
        {
            place?.BeginWaitForClient();
        }

        if (TakeOutput(connection, session))
        {
            await connection.Output.FlushAsync(cancellationToken).ConfigureAwait(true);
        }

        // A callback that checked the peer's certificate may have taken longer than the time that is left.
        cancellationToken.ThrowIfCancellationRequested();
        return session.IsHandshakeComplete;
    }

    /// <summary>Moves what the handshake has written to the connection's output; it is not flushed. Returns whether there was something.</summary>
    /// <remarks>A step may come back from another thread when the reactor has ended; the next read says so.</remarks>
    private static bool TakeOutput(RingConnection connection, TlsBufferSession session)
    {
        if (connection.Reactor.HasEnded || session.PendingOutputBytes is not (> 0 and var bytes))
        {
            return false;
        }

        _ = session.Handshake(default, connection.Output.GetSpan(bytes), out int written);
        connection.Output.Advance(written);
        return true;
    }
}

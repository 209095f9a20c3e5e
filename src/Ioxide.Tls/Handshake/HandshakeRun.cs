namespace Ioxide.Tls;

/// <summary>Drives a handshake over a connection's pipes.</summary>
internal static class HandshakeRun
{
    private const byte FatalLevel = 2;

    /// <summary>Waits for a client's whole hello and leaves it in the reader.</summary>
    internal static async ValueTask<HelloInfo> WaitForHelloAsync(PipeReader input, HandshakePlace place, CancellationToken cancellationToken)
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

    /// <summary>Runs it to its end. Returns the session, and frees the handshake in any case. A client has no place.</summary>
    /// <exception cref="TlsException">It failed. The peer got an alert.</exception>
    internal static async ValueTask<TlsSession> RunAsync(
        RingConnection connection, Handshake handshake, HandshakeSettings settings, TlsSessionKind kind, HandshakePlace? place,
        CancellationToken cancellationToken)
    {
        using (handshake)
        {
            bool isDone = false;
            if (!settings.IsServer)
            {
                isDone = await StepAsync(connection, handshake, settings, place, cancellationToken).ConfigureAwait(true);
            }

            while (!isDone)
            {
                await FeedAsync(connection.Input, handshake, cancellationToken).ConfigureAwait(true);
                isDone = await StepAsync(connection, handshake, settings, place, cancellationToken).ConfigureAwait(true);
            }

            TlsSessionInfo info = handshake.TakeInfo();
            (RecordSealer sealer, RecordOpener opener) = handshake.TakeKeys(RecordSuite.Of(info.CipherSuite));
            var session = new TlsSession(connection, info, sealer, opener, settings, kind);
            await CheckAbsenceAsync(handshake, session).ConfigureAwait(true);
            if (settings.KernelOffload == TlsKernelOffload.Require)
            {
                await HandOverAsync(connection, session, cancellationToken).ConfigureAwait(true);
            }

            return session;
        }
    }

    /// <summary>
    /// OpenSSL asks the application about a client's certificate, and not about its absence. SslStream asks about that too, also where no
    /// certificate is requested.
    /// </summary>
    [ApplicationSide]
    private static async ValueTask CheckAbsenceAsync(Handshake handshake, TlsSession session)
    {
        try
        {
            if (!handshake.LacksCertificate)
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
    private static async ValueTask HandOverAsync(RingConnection connection, TlsSession session, CancellationToken cancellationToken)
    {
        try
        {
            await connection.Sender.WhenIdleAsync().WaitAsync(cancellationToken).ConfigureAwait(true);
            session.Output.HandOver();
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
        ReadOnlySpan<byte> record = [(byte)RecordType.Alert, 3, 3, 0, 2, FatalLevel, (byte)alert];
        connection.Output.Write(record);
        connection.Output.Submit();
    }

    /// <summary>
    /// Waits for a whole record, or a whole hello where one is due, and moves it to OpenSSL: the step needs nothing of the connection's.
    /// </summary>
    private static async ValueTask FeedAsync(PipeReader input, Handshake handshake, CancellationToken cancellationToken)
    {
        var scan = new HelloScan(handshake.HasAskedAgain);
        bool isFed = false;
        while (!isFed)
        {
            ReadResult read = await input.ReadAsync(cancellationToken).ConfigureAwait(true);
            SequencePosition consumed = read.Buffer.Start;
            SequencePosition examined = read.Buffer.End;
            try
            {
                bool isWhole = handshake.AwaitsHello
                    ? scan.IsWhole(read.Buffer, out int lengthBytes)
                    : IsWholeRecord(read.Buffer, out lengthBytes);
                CheckEnd(read, isWhole);
                if (isWhole)
                {
                    ReadOnlySequence<byte> records = read.Buffer.Slice(0, lengthBytes);
                    handshake.Feed(records);
                    consumed = records.End;
                    examined = records.End;
                    isFed = true;
                }
            }
            finally
            {
                input.AdvanceTo(consumed, examined);
            }
        }
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
        RingConnection connection, Handshake handshake, HandshakeSettings settings, HandshakePlace? place,
        CancellationToken cancellationToken)
    {
        bool isDone;
        handshake.ResetCount();
        try
        {
            isDone = place is not null
                ? await HandshakeTurns.Of(connection.Reactor).RunAsync(handshake, settings, place, cancellationToken).ConfigureAwait(true)
                : settings.StepsOnPool
                    ? await Task.Run(handshake.Step, CancellationToken.None).ConfigureAwait(true)
                    : handshake.Step();
        }
        catch (TlsException)
        {
            TakeOutput(connection, handshake);
            connection.Output.Submit();
            throw;
        }

        if (!isDone)
        {
            place?.BeginWaitForClient();
        }

        if (TakeOutput(connection, handshake))
        {
            await connection.Output.FlushAsync(cancellationToken).ConfigureAwait(true);
        }

        return isDone;
    }

    /// <summary>A step may come back from another thread when the reactor has ended; the next read says so.</summary>
    private static bool TakeOutput(RingConnection connection, Handshake handshake)
        => !connection.Reactor.HasEnded && handshake.TakeOutput(connection.Output);
}

namespace Ioxide.Tls;

/// <summary>One handshake of OpenSSL's over two BIOs in memory: whole records go in one by one, what comes out goes to the connection.</summary>
/// <remarks>
/// <para>Because OpenSSL is given no byte beyond the record that ends the handshake, what follows stays in the connection's reader and
/// the first number of each direction is known: TLS 1.2 starts behind Finished, mostly at 1; TLS 1.3 at 0, or behind the tickets that
/// the server's last step wrote. The object is freed when the keys are taken: OpenSSL must never encrypt again under the same numbers.</para>
/// <para>Threads: one at a time. OpenSSL's error queue and the callbacks belong to the thread that steps.</para>
/// <para>A callback of the application may block a reactor inside OpenSSL's call, and the reactor then opens and seals records of other
/// sessions on the same thread. Handshakes go to the thread pool meanwhile, so that the one that steps here is one. What others left in
/// the error queue is cleared behind the callback: <c>SSL_get_error</c> takes any entry for this handshake's.</para>
/// </remarks>
internal sealed unsafe class Handshake : IDisposable
{
    private const int SecretSlots = 2;
    private const int RandomBytes = 32;
    private const int ServerHello = 2;
    private const int ServerRandomAt = RecordHeader.SizeInBytes + 6;

    // The random of a ServerHello that asks for another hello (RFC 8446, section 4.1.3).
    private static readonly byte[] s_retryRandom = Convert.FromHexString("CF21AD74E59A6111BE1D8C021E65B891C2A211167ABB8C5E079E09E2C8A8339C");
    private static int s_liveCount;

    [ThreadStatic]
    private static Handshake? s_current;

    private readonly HandshakeSettings _settings;
    private readonly PeerVerifier? _verifier;
    private readonly SecretMemory _secrets = new(SecretSlots * RecordKeys.MaxSecretBytes);
    private nint _ssl;
    private nint _input;
    private nint _output;
    private int _foundSecrets;
    private int _dataRecords;
    private int _recordsSinceChange;
    private Exception? _failure;
    private bool _isDisposed;

    internal Handshake(HandshakeSettings settings, TlsContext context)
    {
        _settings = settings;
        AwaitsHello = settings.IsServer;
        Interlocked.Increment(ref s_liveCount);
        _verifier = settings.PeerPolicy is { } policy ? new PeerVerifier(policy) : null;
        _ssl = LibSsl.New(context.Pointer);
        GC.KeepAlive(context);
        _input = LibCrypto.NewBio(LibCrypto.MemoryBioMethod());
        _output = LibCrypto.NewBio(LibCrypto.MemoryBioMethod());
        if (_ssl == 0 || _input == 0 || _output == 0)
        {
            Dispose();
            throw new TlsException(TlsFailure.Unavailable, $"OpenSSL could not start a handshake: {LibCrypto.TakeErrors()}.");
        }

        LibSsl.SetBios(_ssl, _input, _output);
        if (settings.IsServer)
        {
            LibSsl.SetAccepting(_ssl);
            foreach (X509Certificate2 root in settings.NamedRoots ?? [])
            {
                if (LibSsl.AddClientIssuer(_ssl, root.Handle) != 1)
                {
                    Dispose();
                    throw new TlsException(TlsFailure.Unavailable, $"OpenSSL does not accept the root {root.Subject}: {LibCrypto.TakeErrors()}.");
                }
            }

            return;
        }

        LibSsl.SetConnecting(_ssl);
        if (settings.HostName is { } name)
        {
            fixed (byte* text = Encoding.ASCII.GetBytes($"{name}\0"))
            {
                LibSsl.Control(_ssl, LibSsl.ControlHostName, 0, text);
            }
        }
    }

    /// <summary>The handshake that the calling thread steps, for the callbacks.</summary>
    internal static Handshake? Current => s_current;

    /// <summary>Handshakes that hold objects of OpenSSL's, for tests. Threads: any.</summary>
    internal static int LiveCount => Volatile.Read(ref s_liveCount);

    /// <summary>A server waits for a ClientHello: the first, or the one that it has asked for by a HelloRetryRequest.</summary>
    internal bool AwaitsHello { get; private set; }

    /// <summary>The hello that is awaited is the second.</summary>
    internal bool HasAskedAgain { get; private set; }

    internal byte[] Protocols => _settings.Protocols;

    internal TicketKeys? Tickets => _settings.Tickets;

    internal byte[]? StatusResponse => _settings.Certificate is { } certificate ? FrameworkTls.Status(certificate) : null;

    /// <summary>The peer showed no certificate, and the application, which is asked, does not accept that.</summary>
    internal bool LacksCertificate => _settings.AcceptsAbsence is { } accepts && _verifier?.Certificate is null && !accepts();

    internal int VerifyPeer(nint storeContext)
    {
        try
        {
            return _verifier?.Verify(storeContext, _settings.IsServer ? null : _settings.HostName) ?? PeerVerifier.ErrorUnspecified;
        }
        finally
        {
            EndCallback();
        }
    }

    /// <summary>Notes that a callback threw. The step reports that exception instead of OpenSSL's error.</summary>
    internal void NoteFailure(Exception exception) => _failure ??= exception;

    /// <summary>Keeps a traffic secret of a line of the key log: label, random, secret, in hexadecimal.</summary>
    internal void TakeSecret(ReadOnlySpan<byte> line)
    {
        int slot = line.StartsWith("CLIENT_TRAFFIC_SECRET_0 "u8) ? 0 : line.StartsWith("SERVER_TRAFFIC_SECRET_0 "u8) ? 1 : -1;
        if (slot < 0)
        {
            return;
        }

        ReadOnlySpan<byte> hex = line[(line.LastIndexOf((byte)' ') + 1)..];
        var secret = new Span<byte>(_secrets.Pointer + (slot * RecordKeys.MaxSecretBytes), RecordKeys.MaxSecretBytes);
        if (Convert.FromHexString(hex, secret, out _, out _) == OperationStatus.Done)
        {
            _foundSecrets |= 1 << slot;
        }
    }

    /// <summary>Takes a record, or the records of a hello, for the next step. They are copied.</summary>
    internal void Feed(in ReadOnlySequence<byte> records)
    {
        ObjectDisposedException.ThrowIf(_ssl == 0, this);
        NoteRecord(records);
        foreach (ReadOnlyMemory<byte> piece in records)
        {
            fixed (byte* bytes = piece.Span)
            {
                if (!piece.IsEmpty && LibCrypto.WriteBio(_input, bytes, piece.Length) != piece.Length)
                {
                    throw new TlsException(TlsFailure.Unavailable, "OpenSSL accepted no more bytes.");
                }
            }
        }
    }

    /// <summary>Lets OpenSSL work on what it was fed; a client begins without. True where the handshake is done.</summary>
    /// <exception cref="TlsException">It failed. The alert, if there is one, is in the output.</exception>
    internal bool Step()
    {
        ObjectDisposedException.ThrowIf(_ssl == 0, this);
        using ContextScope scope = Reactor.EnterRuntimeHere();
        LibCrypto.ClearErrors();
        int result;
        int error;
        s_current = this;
        if (AwaitsHello)
        {
            _settings.OnAnswer?.Invoke();
        }

        try
        {
            result = LibSsl.Handshake(_ssl);
            error = result == 1 ? 0 : LibSsl.ErrorOf(_ssl, result);
        }
        finally
        {
            s_current = null;
        }

        if (result == 1)
        {
            return true;
        }

        if (error != LibSsl.ErrorWantRead)
        {
            throw Failed(error);
        }

        return false;
    }

    /// <summary>Moves what OpenSSL has written to the connection's output; it is not flushed. Returns whether there was something.</summary>
    internal bool TakeOutput(PipeWriter output)
    {
        int pending = (int)LibCrypto.PendingInBio(_output);
        if (pending == 0)
        {
            return false;
        }

        Span<byte> target = output.GetSpan(pending);
        int count;
        fixed (byte* bytes = target)
        {
            count = LibCrypto.ReadBio(_output, bytes, pending);
        }

        Debug.Assert(count == pending);
        _dataRecords = CountDataRecords(target[..count]);
        HasAskedAgain = AwaitsHello && IsRetryRequest(target[..count]);
        AwaitsHello = HasAskedAgain;
        output.Advance(count);
        return true;
    }

    /// <summary>What was agreed on.</summary>
    internal TlsSessionInfo TakeInfo()
    {
        byte* protocol;
        uint protocolBytes;
        LibSsl.SelectedAlpn(_ssl, &protocol, &protocolBytes);
        var suite = RecordSuite.Of((TlsCipherSuite)LibSsl.SuiteOf(LibSsl.CurrentCipher(_ssl)));
        return new TlsSessionInfo
        {
            Protocol = suite.IsTls13 ? SslProtocols.Tls13 : SslProtocols.Tls12,
            CipherSuite = suite.Id,
            ApplicationProtocol = protocolBytes == 0
                ? default
                : new SslApplicationProtocol(new ReadOnlySpan<byte>(protocol, (int)protocolBytes).ToArray()),
            HostName = _settings.HostName,
            IsResumed = LibSsl.IsResumed(_ssl) != 0,
            PeerCertificate = _verifier?.Certificate,
        };
    }

    /// <summary>The two ends of the record layer. To be called once, when the handshake is done and its output was taken.</summary>
    internal (RecordSealer Sealer, RecordOpener Opener) TakeKeys(RecordSuite suite)
    {
        (RecordKeys client, RecordKeys server) = suite.IsTls13 ? TakeKeys13(suite) : TakeKeys12(suite);
        ulong firstSent = !suite.IsTls13 ? 1 : _settings.IsServer ? (ulong)_dataRecords : 0;
        ulong firstReceived = suite.IsTls13 ? 0 : (ulong)_recordsSinceChange;
        (RecordKeys sent, RecordKeys received) = _settings.IsServer ? (server, client) : (client, server);
        int maxDataBytes = MaxDataBytes();
        return (
            new RecordSealer(sent, firstSent) { MaxDataBytes = maxDataBytes },
            new RecordOpener(received, firstReceived) { MaxDataBytes = maxDataBytes });
    }

    /// <summary>Begins a step's count anew: only what the last step wrote is under the keys of the session.</summary>
    internal void ResetCount() => _dataRecords = 0;

    /// <summary>
    /// TLS 1.2 numbers the peer's records from ChangeCipherSpec on; Finished may come in several. Only those of a hello are fed together.
    /// </summary>
    private void NoteRecord(in ReadOnlySequence<byte> records)
    {
        if (!records.IsEmpty)
        {
            _recordsSinceChange = records.FirstSpan[0] == (byte)RecordType.ChangeCipherSpec ? 0 : _recordsSinceChange + 1;
        }
    }

    private TlsException Failed(int error)
    {
        OpenSslErrors errors = OpenSslErrors.Take();
        if (_failure is not null)
        {
            return TlsException.OfApplication(_failure);
        }

        TlsAlert? alert = error == LibSsl.ErrorZeroReturn ? TlsAlert.CloseNotify : errors.PeerAlert;
        return alert is not null
            ? new TlsException(TlsFailure.PeerAlert, $"The peer ended the handshake: {alert}.", alert)
            : new TlsException(
                errors.RefusesCertificate ? TlsFailure.Certificate : TlsFailure.Handshake, $"The handshake failed: {errors.Text}.");
    }

    /// <summary>libssl agrees to max_fragment_length for the whole session (RFC 6066, section 4) and cannot be kept from it.</summary>
    private int MaxDataBytes()
    {
        const int LargestCode = 4;
        byte code = LibSsl.MaxFragmentCode(LibSsl.SessionOf(_ssl));
        return code is > 0 and <= LargestCode ? 256 << code : RecordHeader.MaxPlaintext;
    }

    private void EndCallback()
    {
        s_current = this;
        LibCrypto.ClearErrors();
    }

    public void Dispose()
    {
        if (!_isDisposed)
        {
            _isDisposed = true;
            Interlocked.Decrement(ref s_liveCount);
        }

        if (_ssl != 0 && _input != 0)
        {
            LibSsl.Free(_ssl);
        }
        else
        {
            LibSsl.Free(_ssl);
            LibCrypto.FreeBio(_input);
            LibCrypto.FreeBio(_output);
        }

        _ssl = 0;
        _input = 0;
        _output = 0;
        _secrets.Dispose();
    }

    private (RecordKeys Client, RecordKeys Server) TakeKeys13(RecordSuite suite)
    {
        const int BothSecrets = 3;
        if (_foundSecrets != BothSecrets)
        {
            throw new TlsException(TlsFailure.Unavailable, "OpenSSL did not provide the traffic secrets.");
        }

        return (
            RecordKeys.FromSecret(suite, new ReadOnlySpan<byte>(_secrets.Pointer, RecordKeys.MaxSecretBytes)),
            RecordKeys.FromSecret(suite, new ReadOnlySpan<byte>(_secrets.Pointer + RecordKeys.MaxSecretBytes, RecordKeys.MaxSecretBytes)));
    }

    private (RecordKeys Client, RecordKeys Server) TakeKeys12(RecordSuite suite)
    {
        byte* randoms = stackalloc byte[2 * RandomBytes];
        nuint masterBytes = LibSsl.MasterSecret(LibSsl.SessionOf(_ssl), _secrets.Pointer, RecordKeys.MaxSecretBytes);
        if (masterBytes != RecordKeys.MaxSecretBytes
            || LibSsl.ClientRandom(_ssl, randoms, RandomBytes) != RandomBytes
            || LibSsl.ServerRandom(_ssl, randoms + RandomBytes, RandomBytes) != RandomBytes)
        {
            throw new TlsException(TlsFailure.Unavailable, "OpenSSL did not provide the master secret.");
        }

        return RecordKeys.FromMaster(
            suite,
            new ReadOnlySpan<byte>(_secrets.Pointer, RecordKeys.MaxSecretBytes),
            new ReadOnlySpan<byte>(randoms, RandomBytes),
            new ReadOnlySpan<byte>(randoms + RandomBytes, RandomBytes));
    }

    private static bool IsRetryRequest(ReadOnlySpan<byte> records)
        => records.Length >= ServerRandomAt + RandomBytes
            && records[0] == (byte)RecordType.Handshake
            && records[RecordHeader.SizeInBytes] == ServerHello
            && records.Slice(ServerRandomAt, RandomBytes).SequenceEqual(s_retryRandom);

    private static int CountDataRecords(ReadOnlySpan<byte> records)
    {
        int count = 0;
        while (records.Length >= RecordHeader.SizeInBytes)
        {
            count += records[0] == (byte)RecordType.ApplicationData ? 1 : 0;
            records = records[(RecordHeader.SizeInBytes + ((records[3] << 8) | records[4]))..];
        }

        return count;
    }
}

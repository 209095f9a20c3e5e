using System.Net;

namespace Ioxide.Tls;

/// <summary>One side of a TLS session between buffers of its caller, in the shape of .NET 11's type of this name: what it is given and what it
/// answers (<see cref="TlsOperationStatus"/>) are bytes. Who reads, sends and waits is another's affair.</summary>
/// <remarks>
/// <para>It owns libssl's object until the handshake is done, over two BIOs in memory, and libcrypto's two ciphers from then on: OpenSSL must never
/// encrypt again under numbers that were used. Beside <see cref="TlsContext"/> and what reads the machine's policy nothing calls OpenSSL.</para>
/// <para>A handshake is given whole records only, and none beyond the one that ends it: what follows stays with the caller, and the first number of
/// each direction is known. TLS 1.2 starts behind Finished, mostly at 1; TLS 1.3 at 0, or behind the tickets that the server's last step
/// wrote.</para>
/// <para>Threads: one at a time during the handshake; OpenSSL's error queue and the callbacks belong to the thread that steps. Afterwards one may
/// read while another writes.</para>
/// <para>A callback of the application may block a reactor inside OpenSSL's call, and the reactor then opens and seals records of other
/// sessions on the same thread. Handshakes go to the thread pool meanwhile, so that the one that steps here is one. What others left in
/// the error queue is cleared behind the callback: <c>SSL_get_error</c> takes any entry for this handshake's.</para>
/// </remarks>
internal sealed unsafe class TlsBufferSession : IDisposable
{
    private const int SecretSlots = 2;
    private const int RandomBytes = 32;
    private const int ServerHello = 2;
    private const int ServerRandomAt = RecordHeader.SizeInBytes + 6;

    // The random of a ServerHello that asks for another hello (RFC 8446, section 4.1.3).
    private static readonly byte[] s_retryRandom = Convert.FromHexString("CF21AD74E59A6111BE1D8C021E65B891C2A211167ABB8C5E079E09E2C8A8339C");
    private static int s_liveCount;

    [ThreadStatic]
    private static TlsBufferSession? s_current;

    private readonly bool _isServer;
    private HandshakeSettings? _settings;
    private PeerVerifier? _verifier;
    private SecretMemory? _secrets;
    private nint _ssl;
    private nint _input;
    private nint _output;
    private int _foundSecrets;
    private int _dataRecords;
    private int _recordsSinceChange;
    private bool _hasBegun;
    private Exception? _failure;
    private ControlRecords _control = null!; // Told whom to tell before the first record is read.

    /// <exception cref="TlsException">OpenSSL is out of memory, or refuses a root.</exception>
    internal TlsBufferSession(HandshakeSettings settings, TlsContext context)
    {
        _settings = settings;
        _isServer = settings.IsServer;
        AwaitsHello = _isServer;
        _secrets = new SecretMemory(SecretSlots * RecordKeys.MaxSecretBytes);
        _verifier = settings.PeerPolicy is { } policy ? new PeerVerifier(policy) : null;
        Interlocked.Increment(ref s_liveCount);
        _ssl = LibSsl.New(context.Pointer);
        GC.KeepAlive(context);
        _input = LibCrypto.NewBio(LibCrypto.MemoryBioMethod());
        _output = LibCrypto.NewBio(LibCrypto.MemoryBioMethod());
        if (_ssl == 0 || _input == 0 || _output == 0)
        {
            FreeHandshake();
            throw new TlsException(TlsFailure.Unavailable, $"OpenSSL could not start a handshake: {OpenSslErrors.Take().Text}.");
        }

        LibSsl.SetBios(_ssl, _input, _output);
        if (_isServer)
        {
            LibSsl.SetAccepting(_ssl);
            foreach (X509Certificate2 root in settings.NamedRoots ?? [])
            {
                if (LibSsl.AddClientIssuer(_ssl, root.Handle) != 1)
                {
                    FreeHandshake();
                    throw new TlsException(TlsFailure.Unavailable, $"OpenSSL does not accept the root {root.Subject}: {OpenSslErrors.Take().Text}.");
                }
            }

            return;
        }

        LibSsl.SetConnecting(_ssl);
        if (settings.HostName is { } name && !IPAddress.TryParse(name, out _))
        {
            // Addresses are not sent: RFC 6066, section 3.
            fixed (byte* text = Encoding.ASCII.GetBytes($"{name}\0"))
            {
                LibSsl.Control(_ssl, LibSsl.ControlHostName, 0, text);
            }
        }
    }

    /// <summary>A session behind its handshake.</summary>
    internal TlsBufferSession(RecordSealer sealer, RecordOpener opener, bool isServer)
    {
        _isServer = isServer;
        Sealer = sealer;
        Opener = opener;
    }

    /// <summary>The message of a KeyUpdate that asks for none in return.</summary>
    internal static ReadOnlySpan<byte> KeyUpdate => [24, 0, 0, 1, 0];

    /// <summary>The session whose handshake the calling thread steps, for the callbacks.</summary>
    internal static TlsBufferSession? Current => s_current;

    /// <summary>Sessions that hold objects of libssl's, for tests. Threads: any.</summary>
    internal static int LiveCount => Volatile.Read(ref s_liveCount);

    internal bool IsHandshakeComplete { get; private set; }

    /// <summary>A server waits for a ClientHello: the first, or the one that it has asked for by a HelloRetryRequest.</summary>
    internal bool AwaitsHello { get; private set; }

    /// <summary>The hello that is awaited is the second.</summary>
    internal bool HasAskedAgain { get; private set; }

    /// <summary>Bytes of the handshake that wait for a destination.</summary>
    internal int PendingOutputBytes => _ssl == 0 ? 0 : (int)LibCrypto.PendingInBio(_output);

    /// <summary>What makes records, and the secrets for one who makes them in its place. From the end of the handshake on.</summary>
    internal RecordSealer Sealer { get; private set; } = null!; // Set when the handshake is done, and not used before.

    /// <summary>What opens records. From the end of the handshake on.</summary>
    internal RecordOpener Opener { get; private set; } = null!; // Set when the handshake is done, and not used before.

    internal byte[] Protocols => Settings.Protocols;

    internal TicketKeys? Tickets => Settings.Tickets;

    internal byte[]? StatusResponse => Settings.Certificate is { } certificate ? FrameworkTls.Status(certificate) : null;

    private HandshakeSettings Settings
    {
        get
        {
            ObjectDisposedException.ThrowIf(_settings is null, this);
            return _settings;
        }
    }

    /// <summary>Lets the handshake work on what came, then writes what is to be sent. A client begins without a source.</summary>
    /// <param name="source">A whole record, or the records of a whole hello; all of it is taken. Empty: only what waits is written.</param>
    /// <param name="destination">May be empty.</param>
    /// <param name="bytesWritten">Of the destination.</param>
    /// <exception cref="TlsException">It failed. The alert, if there is one, is output.</exception>
    internal TlsOperationStatus Handshake(ReadOnlySpan<byte> source, Span<byte> destination, out int bytesWritten)
    {
        ObjectDisposedException.ThrowIf(_ssl == 0, this);
        bytesWritten = 0;
        if (!source.IsEmpty || (!_hasBegun && !_isServer))
        {
            Take(source);
            Step();
        }

        if (!destination.IsEmpty && PendingOutputBytes > 0)
        {
            fixed (byte* bytes = destination)
            {
                bytesWritten = LibCrypto.ReadBio(_output, bytes, destination.Length);
            }
        }

        return PendingOutputBytes > 0 ? TlsOperationStatus.DestinationTooSmall
            : IsHandshakeComplete ? TlsOperationStatus.Complete
            : TlsOperationStatus.NeedMoreData;
    }

    /// <summary>The handshake is done: records follow, and what it needed is freed. Returns what was agreed on.</summary>
    /// <exception cref="TlsException">OpenSSL did not give the keys.</exception>
    internal TlsSessionInfo BeginRecords()
    {
        TlsSessionInfo info = ReadInfo();
        (Sealer, Opener) = ExportKeys(RecordSuite.Of(info.CipherSuite));
        FreeHandshake();
        return info;
    }

    /// <summary>Who is told what the peer's records without data ask for. Before the first <see cref="Read"/>.</summary>
    internal void Tell(IControlTarget target) => _control = new ControlRecords(target, _isServer);

    /// <summary>Opens one record, and does what it asks for if it has no data.</summary>
    /// <param name="source">What came; its first bytes are a record's.</param>
    /// <param name="destination">May be empty.</param>
    /// <param name="bytesConsumed">Of the source.</param>
    /// <param name="bytesWritten">Of the destination; where that is too small, how long it has to be.</param>
    /// <exception cref="TlsException">It is no record, not authentic, or not allowed. The destination must not be used.</exception>
    internal TlsOperationStatus Read(in ReadOnlySequence<byte> source, Span<byte> destination, out int bytesConsumed, out int bytesWritten)
    {
        bytesConsumed = 0;
        bytesWritten = 0;
        if (!RecordHeader.IsWhole(source, Opener.MaxExpansion, out RecordHeader header))
        {
            return TlsOperationStatus.NeedMoreData;
        }

        int room = Math.Max(Opener.RoomFor(header.LengthBytes), 1);
        if (destination.Length < room)
        {
            bytesWritten = room;
            return TlsOperationStatus.DestinationTooSmall;
        }

        bytesConsumed = RecordHeader.SizeInBytes + header.LengthBytes;
        (RecordType type, int count) = Opener.Open(header, source.Slice(RecordHeader.SizeInBytes, header.LengthBytes), destination);
        if (type != RecordType.ApplicationData)
        {
            return _control.Handle(type, destination[..count], Opener) ? TlsOperationStatus.Closed : TlsOperationStatus.Complete;
        }

        _control.NoteData(count);
        bytesWritten = count;
        return TlsOperationStatus.Complete;
    }

    /// <summary>Makes one record of data.</summary>
    /// <param name="source">Not empty.</param>
    /// <param name="destination">What fits into it is taken.</param>
    /// <param name="bytesConsumed">Of the source.</param>
    /// <param name="bytesWritten">Of the destination.</param>
    internal TlsOperationStatus Write(ReadOnlySpan<byte> source, Span<byte> destination, out int bytesConsumed, out int bytesWritten)
    {
        bytesConsumed = Math.Min(Math.Min(source.Length, Sealer.MaxDataBytes), destination.Length - Sealer.OverheadBytes);
        bytesWritten = bytesConsumed > 0 ? Sealer.Seal(RecordType.ApplicationData, source[..bytesConsumed], destination) : 0;
        return bytesConsumed == source.Length ? TlsOperationStatus.Complete : TlsOperationStatus.DestinationTooSmall;
    }

    /// <summary>Makes a record of an alert, such as close_notify. Returns its bytes.</summary>
    internal int WriteAlert(ReadOnlySpan<byte> alert, Span<byte> destination) => Sealer.Seal(RecordType.Alert, alert, destination);

    /// <summary>TLS 1.3: makes the record that announces a new key, and continues with that. Returns its bytes.</summary>
    internal int UpdateKey(Span<byte> destination)
    {
        int bytesWritten = Sealer.Seal(RecordType.Handshake, KeyUpdate, destination);
        Sealer.Update();
        return bytesWritten;
    }

    /// <summary>Nothing is read any more: the key is cleansed.</summary>
    internal void EndReading() => Opener.Dispose();

    /// <summary>Nothing is written any more: the key is cleansed.</summary>
    internal void EndWriting() => Sealer.Dispose();

    internal int VerifyPeer(X509Certificate2 certificate, List<X509Certificate2> others)
    {
        try
        {
            return _verifier?.Verify(certificate, others, _isServer ? null : Settings.HostName) ?? PeerVerifier.ErrorUnspecified;
        }
        finally
        {
            s_current = this;
            LibCrypto.ClearErrors();
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
        var secret = new Span<byte>(_secrets!.Pointer + (slot * RecordKeys.MaxSecretBytes), RecordKeys.MaxSecretBytes);
        if (Convert.FromHexString(hex, secret, out _, out _) == OperationStatus.Done)
        {
            _foundSecrets |= 1 << slot;
        }
    }

    /// <summary>What was agreed on.</summary>
    internal TlsSessionInfo ReadInfo()
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
            HostName = Settings.HostName,
            IsResumed = LibSsl.IsResumed(_ssl) != 0,
            PeerCertificate = _verifier?.Certificate,
        };
    }

    /// <summary>The two ends of the record layer. For a handshake that is done, before its objects are freed.</summary>
    internal (RecordSealer Sealer, RecordOpener Opener) ExportKeys(RecordSuite suite)
    {
        (RecordKeys client, RecordKeys server) = suite.IsTls13 ? ExportKeys13(suite) : ExportKeys12(suite);
        ulong firstSent = !suite.IsTls13 ? 1 : _isServer ? (ulong)_dataRecords : 0;
        ulong firstReceived = suite.IsTls13 ? 0 : (ulong)_recordsSinceChange;
        (RecordKeys sent, RecordKeys received) = _isServer ? (server, client) : (client, server);
        int maxDataBytes = MaxDataBytes();
        return (
            new RecordSealer(sent, firstSent) { MaxDataBytes = maxDataBytes },
            new RecordOpener(received, firstReceived) { MaxDataBytes = maxDataBytes });
    }

    /// <summary>Frees everything. May be called more than once, and not while a half is in use.</summary>
    public void Dispose()
    {
        FreeHandshake();
        Sealer?.Dispose();
        Opener?.Dispose();
    }

    private void Take(ReadOnlySpan<byte> records)
    {
        _hasBegun = true;
        if (records.IsEmpty)
        {
            return;
        }

        // TLS 1.2 numbers the peer's records from ChangeCipherSpec on; Finished may come in several. Only those of a hello come together.
        _recordsSinceChange = records[0] == (byte)RecordType.ChangeCipherSpec ? 0 : _recordsSinceChange + 1;
        fixed (byte* bytes = records)
        {
            if (LibCrypto.WriteBio(_input, bytes, records.Length) != records.Length)
            {
                throw new TlsException(TlsFailure.Unavailable, "OpenSSL accepted no more bytes.");
            }
        }
    }

    private void Step()
    {
        using ContextScope scope = Reactor.EnterRuntimeHere();
        LibCrypto.ClearErrors();
        int error;
        s_current = this;
        if (AwaitsHello)
        {
            Settings.OnAnswer?.Invoke();
        }

        try
        {
            int result = LibSsl.Handshake(_ssl);
            IsHandshakeComplete = result == 1;
            error = IsHandshakeComplete ? 0 : LibSsl.ErrorOf(_ssl, result);
        }
        finally
        {
            s_current = null;
        }

        if (error is not (0 or LibSsl.ErrorWantRead))
        {
            throw Failed(error);
        }

        NoteOutput();
    }

    /// <summary>What the last step wrote: of it, only records under the keys of the session count.</summary>
    private void NoteOutput()
    {
        byte* bytes;
        var records = new ReadOnlySpan<byte>(null, 0);
        if (LibCrypto.ControlBio(_output, LibCrypto.ControlMemoryInfo, 0, &bytes) is > 0 and var length)
        {
            records = new ReadOnlySpan<byte>(bytes, (int)length);
            HasAskedAgain = AwaitsHello && IsRetryRequest(records);
            AwaitsHello = HasAskedAgain;
        }

        _dataRecords = 0;
        while (records.Length >= RecordHeader.SizeInBytes)
        {
            _dataRecords += records[0] == (byte)RecordType.ApplicationData ? 1 : 0;
            records = records[(RecordHeader.SizeInBytes + ((records[3] << 8) | records[4]))..];
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

    private void FreeHandshake()
    {
        if (_secrets is not { } secrets)
        {
            return;
        }

        // The session frees the BIOs that it was given.
        bool isOwned = _ssl != 0 && _input != 0 && _output != 0;
        LibSsl.Free(_ssl);
        if (!isOwned)
        {
            LibCrypto.FreeBio(_input);
            LibCrypto.FreeBio(_output);
        }

        secrets.Dispose();
        _ssl = _input = _output = 0;
        _secrets = null;
        _settings = null;
        _verifier = null;
        Interlocked.Decrement(ref s_liveCount);
    }

    private (RecordKeys Client, RecordKeys Server) ExportKeys13(RecordSuite suite)
    {
        const int BothSecrets = 3;
        if (_foundSecrets != BothSecrets)
        {
            throw new TlsException(TlsFailure.Unavailable, "OpenSSL did not provide the traffic secrets.");
        }

        return (
            RecordKeys.FromSecret(suite, new ReadOnlySpan<byte>(_secrets!.Pointer, RecordKeys.MaxSecretBytes)),
            RecordKeys.FromSecret(suite, new ReadOnlySpan<byte>(_secrets!.Pointer + RecordKeys.MaxSecretBytes, RecordKeys.MaxSecretBytes)));
    }

    private (RecordKeys Client, RecordKeys Server) ExportKeys12(RecordSuite suite)
    {
        byte* randoms = stackalloc byte[2 * RandomBytes];
        nuint masterBytes = LibSsl.MasterSecret(LibSsl.SessionOf(_ssl), _secrets!.Pointer, RecordKeys.MaxSecretBytes);
        if (masterBytes != RecordKeys.MaxSecretBytes
            || LibSsl.ClientRandom(_ssl, randoms, RandomBytes) != RandomBytes
            || LibSsl.ServerRandom(_ssl, randoms + RandomBytes, RandomBytes) != RandomBytes)
        {
            throw new TlsException(TlsFailure.Unavailable, "OpenSSL did not provide the master secret.");
        }

        return RecordKeys.FromMaster(
            suite,
            new ReadOnlySpan<byte>(_secrets!.Pointer, RecordKeys.MaxSecretBytes),
            new ReadOnlySpan<byte>(randoms, RandomBytes),
            new ReadOnlySpan<byte>(randoms + RandomBytes, RandomBytes));
    }

    private static bool IsRetryRequest(ReadOnlySpan<byte> records)
        => records.Length >= ServerRandomAt + RandomBytes
            && records[0] == (byte)RecordType.Handshake
            && records[RecordHeader.SizeInBytes] == ServerHello
            && records.Slice(ServerRandomAt, RandomBytes).SequenceEqual(s_retryRandom);
}

using System.Text;

namespace Ioxide.Tls.Tests;

/// <content>What a client says first: versions, suites, extensions.</content>
internal static partial class TlsCatalog
{
    private const string VersionField = "RFC 8446, 4.2.1";
    private const string HelloFields = "RFC 8446, 4.1.2";
    private const string Presentation = "RFC 8446, 6.2";
    private const ushort FallbackSignal = 0x5600;
    private const ushort RenegotiationSignal = 0x00ff;
    private const TlsAlert MissingExtension = (TlsAlert)109;
    private const TlsAlert InappropriateFallback = (TlsAlert)86;
    private const TlsAlert UnsupportedExtension = (TlsAlert)110;

    private static IEnumerable<TlsCase> Versions()
    {
        static HelloBuilder For13(ushort version) => HelloBuilder.For13().With(hello => hello.Version = version);
        static HelloBuilder For12(ushort version) => HelloBuilder.For12().With(hello => hello.Version = version);
        static HelloBuilder Of(params byte[] versions) => HelloBuilder.For13().Set(HelloBuilder.SupportedVersions, versions);

        // The field of old means nothing beside the extension.
        foreach (ushort version in new ushort[] { 0x0301, 0x0302, 0x0304, 0x0305 })
        {
            yield return Hello(
                $"tls13-legacy-version: {version:x4}", HelloFields, For13(version),
                static answer => answer is { Negotiated: 0x0304, Version: 0x0303 });
        }

        yield return Refused("tls13-legacy-version: 0300", "RFC 8446, D.5", For13(0x0300), TlsAlert.ProtocolVersion);
        yield return Hello("tls13-version-negotiation: 1.3 alone", VersionField, Of(2, 3, 4), Is13);
        yield return Hello("tls13-version-negotiation: 1.2 and 1.3", VersionField, Of(4, 3, 3, 3, 4), Is13);
        yield return Hello("tls13-version-negotiation: unknown ones before", VersionField, Of(8, 0x7a, 0x7a, 3, 9, 3, 4, 3, 3), Is13);
        yield return Hello("tls13-version-negotiation: 1.2 alone", VersionField, Of(2, 3, 3), Is12);
        yield return Refused("tls13-version-negotiation: drafts alone", VersionField, Of(4, 0x7f, 0x1c, 0x7f, 0x17), TlsAlert.ProtocolVersion);
        yield return Refused("tls13-version-negotiation: none", Presentation, Of(0), TlsAlert.DecodeError);
        yield return Refused("tls13-version-negotiation: an odd length", Presentation, Of(3, 3, 4, 3), TlsAlert.DecodeError);
        yield return Refused("tls13-version-negotiation: behind the list", Presentation, Of(2, 3, 4, 0), TlsAlert.DecodeError);
        yield return Hello("tls13-non-support: 1.2 of a client that knows no more", VersionField, For12(0x0303), Is12);
        foreach (ushort version in new ushort[] { 0x0304, 0x03ff, 0x0400, 0xffff })
        {
            yield return Hello($"version-numbers: {version:x4} without the extension", VersionField, For12(version), Is12);
        }

        foreach (ushort version in new ushort[] { 0x0300, 0x0301, 0x0302 })
        {
            yield return Refused($"version-numbers: {version:x4}", "RFC 8996, 4", For12(version), TlsAlert.ProtocolVersion);
        }

        foreach (ushort version in new ushort[] { 0x0300, 0x0303, 0x0304, 0x03ff })
        {
            yield return Hello(
                $"version-numbers: records of {version:x4}", "RFC 8446, 5.1", HelloBuilder.For13().With(hello => hello.RecordVersion = version),
                Is13);
        }

        // The last eight bytes say that the server could do better.
        yield return Hello(
            "downgrade-protection: 1.2", "RFC 8446, 4.1.3", For12(0x0303),
            static answer => answer.Random.AsSpan(24).SequenceEqual("DOWNGRD\u0001"u8));
        yield return Hello(
            "downgrade-protection: 1.3", "RFC 8446, 4.1.3", HelloBuilder.For13(),
            static answer => !answer.Random.AsSpan(24, 7).SequenceEqual("DOWNGRD"u8));
        yield return Refused(
            "fallback-scsv: 1.2", "RFC 7507, 3",
            HelloBuilder.For12().With(static hello => hello.Suites = HelloBuilder.Words([.. HelloBuilder.Suites12, FallbackSignal])),
            InappropriateFallback);
        yield return Hello(
            "fallback-scsv: 1.3", "RFC 7507, 3",
            HelloBuilder.For13().With(static hello => hello.Suites = HelloBuilder.Words([.. HelloBuilder.Suites13, FallbackSignal])), Is13);
        yield return Hello(
            "serverhello-random: no zeroes", "RFC 8446, 4.1.3", HelloBuilder.For13(), static answer => answer.Random.Distinct().Count() > 8);
        foreach (int length in new[] { 0, 1, 32 })
        {
            byte[] id = new byte[length];
            Array.Fill(id, (byte)length);
            yield return Hello(
                $"tls13-conversation: a session id of {length} comes back", "RFC 8446, 4.1.3",
                HelloBuilder.For13().With(hello => hello.SessionId = id),
                answer => answer.SessionId.AsSpan().SequenceEqual(id));
        }

        yield return Hello("sessionID-resumption: of an unknown session", "RFC 5246, 7.4.1.2", HelloBuilder.For12(), Is12);
        yield return Refused(
            "invalid-session-id: of 33", Presentation, HelloBuilder.For12().With(static hello => hello.SessionId = new byte[33]),
            TlsAlert.DecodeError, TlsAlert.IllegalParameter);
    }

    private static IEnumerable<TlsCase> Ciphers()
    {
        static HelloBuilder For13(params ushort[] suites) => HelloBuilder.For13().With(hello => hello.Suites = HelloBuilder.Words(suites));
        static HelloBuilder For12(params ushort[] suites) => HelloBuilder.For12().With(hello => hello.Suites = HelloBuilder.Words(suites));
        static HelloBuilder Packed(HelloBuilder hello, params byte[] methods) => hello.With(other => other.Compressions = methods);

        foreach (ushort suite in HelloBuilder.Suites13)
        {
            yield return Hello($"tls13-symetric-ciphers: {suite:x4}", "RFC 8446, 9.1", For13(suite), answer => answer.Suite == suite);
        }

        yield return Hello(
            "tls13-invalid-ciphers: unknown ones before", HelloFields, For13(0x1306, 0x13ff, 0x7a7a, 0x1301),
            static answer => answer.Suite == 0x1301);
        yield return Refused(
            "tls13-invalid-ciphers: unknown ones alone", "RFC 8446, 4.1.1", For13(0x1306, 0x13ff, 0x7a7a), TlsAlert.HandshakeFailure);
        yield return Refused("tls13-nociphers: none", Presentation, For13(), TlsAlert.DecodeError, TlsAlert.IllegalParameter);
        yield return Refused(
            "tls13-nociphers: an odd length", Presentation, HelloBuilder.For13().With(static hello => hello.Suites = [0x13, 1, 0x13]),
            TlsAlert.DecodeError);
        yield return Hello(
            "invalid-cipher-suites: unknown ones before", "RFC 5246, 7.4.1.2", For12([0x7a7a, 0xffff, .. HelloBuilder.Suites12]), Is12);
        yield return Refused("invalid-cipher-suites: unknown ones alone", "RFC 5246, 7.4.1.3", For12(0x7a7a, 0xffff), TlsAlert.HandshakeFailure);
        yield return Refused("invalid-cipher-suites: NULL", "RFC 5246, A.5", For12(0, 1, 2), TlsAlert.HandshakeFailure);
        yield return Refused("invalid-cipher-suites: of 1.3 alone", "RFC 8446, B.4", For12(HelloBuilder.Suites13), TlsAlert.HandshakeFailure);
        yield return Refused("export-ciphers-rejected", "RFC 9325, 4.1", For12(3, 6, 8, 0x14), TlsAlert.HandshakeFailure);
        yield return Refused("sslv2-force-cipher-3des: RC4 and 3DES", "RFC 9325, 4.1", For12(4, 5, 0x0a, 0xc011, 0xc012), TlsAlert.HandshakeFailure);
        yield return Refused(
            "invalid-compression-methods: 1.3 with DEFLATE", HelloFields, Packed(HelloBuilder.For13(), 1, 0), TlsAlert.IllegalParameter);
        yield return Refused(
            "invalid-compression-methods: 1.3 without null", HelloFields, Packed(HelloBuilder.For13(), 1), TlsAlert.IllegalParameter);
        yield return Hello("invalid-compression-methods: 1.2 with others", "RFC 5246, 7.4.1.2", Packed(HelloBuilder.For12(), 0x40, 1, 0), Is12);
        yield return Refused(
            "invalid-compression-methods: 1.2 without null", "RFC 5246, 7.4.1.2", Packed(HelloBuilder.For12(), 1, 0x40),
            TlsAlert.IllegalParameter, TlsAlert.DecodeError, TlsAlert.HandshakeFailure);
        yield return Refused(
            "invalid-compression-methods: 1.2 with none", "RFC 5246, 7.4.1.2", Packed(HelloBuilder.For12()), TlsAlert.DecodeError,
            TlsAlert.IllegalParameter);
    }

    private static IEnumerable<TlsCase> Extensions()
    {
        static HelloBuilder Set12(ushort type, params byte[] body) => HelloBuilder.For12().Set(type, body);
        static HelloBuilder Set13(ushort type, params byte[] body) => HelloBuilder.For13().Set(type, body);
        static byte[] Name(string name) => HelloBuilder.Names((0, Encoding.Latin1.GetBytes(name)));

        (string Version, Func<HelloBuilder> Make)[] versions = [("1.2", HelloBuilder.For12), ("1.3", HelloBuilder.For13)];
        foreach ((string version, Func<HelloBuilder> make) in versions)
        {
            yield return Hello(
                $"large-number-of-extensions: 1000 unknown ones, {version}", "RFC 8446, 4.2", make().With(static hello => AddUnknown(hello, 1000)));
            yield return Refused(
                $"extensions: one twice, {version}", "RFC 8446, 4.2", make().Add(HelloBuilder.Groups, HelloBuilder.List16(HelloBuilder.Words(29))),
                TlsAlert.IllegalParameter, TlsAlert.DecodeError);
            yield return Refused(
                $"sig-algs: none, {version}", Presentation, make().Set(HelloBuilder.SignatureAlgorithms, [0, 0]), TlsAlert.DecodeError);
            yield return Refused(
                $"sig-algs: an odd length, {version}", Presentation, make().Set(HelloBuilder.SignatureAlgorithms, [0, 3, 4, 3, 8]),
                TlsAlert.DecodeError);
            yield return Refused(
                $"signature-algorithms: unknown ones, {version}", "RFC 8446, 4.2.3",
                make().Set(HelloBuilder.SignatureAlgorithms, [0, 4, 0x7a, 0x7a, 0xfe, 1]),
                TlsAlert.HandshakeFailure);
            yield return Hello(
                $"signature-algorithms: unknown ones before, {version}", "RFC 8446, 4.2.3",
                make().Set(HelloBuilder.SignatureAlgorithms, HelloBuilder.List16(HelloBuilder.Words(0x7a7a, 0xfe01, 0x0403, 0x0804))));
            yield return Refused(
                $"lengths: groups of an odd length, {version}", Presentation, make().Set(HelloBuilder.Groups, [0, 3, 0, 29, 0]),
                TlsAlert.DecodeError);
            yield return Refused(
                $"lengths: no groups, {version}", Presentation, make().Set(HelloBuilder.Groups, [0, 0]), TlsAlert.DecodeError,
                TlsAlert.IllegalParameter);
            yield return Refused(
                $"invalid-server-name-extension: empty, {version}", "RFC 6066, 3", make().Set(HelloBuilder.ServerName, [0, 0]), TlsAlert.DecodeError);
            yield return Refused(
                $"invalid-server-name-extension: cut, {version}", "RFC 6066, 3", make().Set(HelloBuilder.ServerName, [0, 9, 0, 0, 9, 108]),
                TlsAlert.DecodeError);
            yield return Refused(
                $"alpn-negotiation: no names, {version}", "RFC 7301, 3.1", make().Set(HelloBuilder.Alpn, [0, 0]), TlsAlert.DecodeError);
            yield return Refused(
                $"alpn-negotiation: an empty name, {version}", "RFC 7301, 3.1", make().Set(HelloBuilder.Alpn, [0, 1, 0]), TlsAlert.DecodeError);
            yield return Refused(
                $"alpn-negotiation: unknown names, {version}", "RFC 7301, 3.2",
                make().Set(HelloBuilder.Alpn, HelloBuilder.Protocols("spdy/3", "gopher")),
                TlsAlert.NoApplicationProtocol);
            yield return Refused(
                $"record-size-limit: a fragment length of no code, {version}", "RFC 6066, 4", make().Set(HelloBuilder.FragmentLength, [9]),
                TlsAlert.IllegalParameter);
        }

        yield return Hello(
            "alpn-negotiation: HTTP/1.1", "RFC 7301, 3.2", Set12(HelloBuilder.Alpn, HelloBuilder.Protocols("http/1.1")),
            static answer => Chose(answer, "http/1.1"));
        yield return Hello(
            "alpn-negotiation: HTTP/2", "RFC 7301, 3.2", Set12(HelloBuilder.Alpn, HelloBuilder.Protocols("gopher", "http/1.1", "h2")),
            static answer => Chose(answer, "h2"));
        yield return Hello(
            "alpn-negotiation: not asked for", "RFC 7301, 3.1", HelloBuilder.For12(),
            static answer => !answer.Extensions.ContainsKey(HelloBuilder.Alpn));
        yield return Hello("invalid-server-name-extension: of another host", "RFC 6066, 3", Set12(HelloBuilder.ServerName, Name("other.test")));
        yield return Hello("invalid-server-name-extension: none", "RFC 6066, 3", HelloBuilder.For13().Without(HelloBuilder.ServerName));
        yield return Refused(
            "invalid-server-name-extension: with NUL", "RFC 6066, 3", Set12(HelloBuilder.ServerName, Name("local\0host")), TlsAlert.UnrecognizedName,
            TlsAlert.DecodeError, TlsAlert.IllegalParameter);
        yield return Hello(
            "extended-master-secret-extension: is answered", "RFC 7627, 5.2", HelloBuilder.For12(),
            static answer => Has(answer, HelloBuilder.ExtendedMasterSecret));
        yield return Hello(
            "extended-master-secret-extension: is not asked for", "RFC 7627, 5.2", HelloBuilder.For12().Without(HelloBuilder.ExtendedMasterSecret),
            static answer => !Has(answer, HelloBuilder.ExtendedMasterSecret));
        yield return Refused(
            "extended-master-secret-extension: with content", "RFC 7627, 5.1", Set12(HelloBuilder.ExtendedMasterSecret, 0), TlsAlert.DecodeError);
        yield return Hello(
            "legacy-renegotiation: the extension", "RFC 5746, 3.6", HelloBuilder.For12(), static answer => Has(answer, HelloBuilder.Renegotiation));
        yield return Hello(
            "legacy-renegotiation: the signal", "RFC 5746, 3.6",
            HelloBuilder.For12().Without(HelloBuilder.Renegotiation)
                .With(static hello => hello.Suites = HelloBuilder.Words([.. HelloBuilder.Suites12, RenegotiationSignal])),
            static answer => Has(answer, HelloBuilder.Renegotiation));
        yield return Refused(
            "legacy-renegotiation: of a session that is none", "RFC 5746, 3.6", Set12(HelloBuilder.Renegotiation, 1, 7), TlsAlert.HandshakeFailure);
        yield return Hello(
            "encrypt-then-mac: with AEAD", "RFC 7366, 3", Set12(HelloBuilder.EncryptThenMac),
            static answer => !Has(answer, HelloBuilder.EncryptThenMac));
        yield return Hello("no-heartbeat", "RFC 6520, 2", Set12(HelloBuilder.Heartbeat, 1), static answer => !Has(answer, HelloBuilder.Heartbeat));
        yield return Hello("session-ticket-resumption: a ticket of nobody, 1.2", "RFC 5077, 3.1", Set12(HelloBuilder.Ticket, new byte[160]), Is12);
        yield return Hello(
            "tls13-shuffled-extentions: the other way round", "RFC 8446, 4.2", HelloBuilder.For13().With(static hello => hello.Extensions.Reverse()),
            Is13);
        yield return Refused(
            "tls13-keyshare-omitted: no share", "RFC 8446, 9.2", HelloBuilder.For13().Without(HelloBuilder.KeyShare), MissingExtension);
        yield return Refused(
            "tls13-keyshare-omitted: no groups", "RFC 8446, 9.2", HelloBuilder.For13().Without(HelloBuilder.Groups), MissingExtension);
        yield return Refused(
            "tls13-conversation: no signature algorithms", "RFC 8446, 9.2", HelloBuilder.For13().Without(HelloBuilder.SignatureAlgorithms),
            MissingExtension);
        yield return Refused(
            "tls13-crfg-curves: a share that is cut", "RFC 8446, 4.2.8.2", Set13(HelloBuilder.KeyShare, HelloBuilder.Shares((29, new byte[31]))),
            TlsAlert.IllegalParameter, TlsAlert.DecodeError);
        yield return Refused(
            "tls13-crfg-curves: a share of zeroes", "RFC 8446, 7.4.2", Set13(HelloBuilder.KeyShare, HelloBuilder.Shares((29, new byte[32]))),
            TlsAlert.IllegalParameter, TlsAlert.HandshakeFailure);
        yield return Refused(
            "tls13-crfg-curves: an empty share", Presentation, Set13(HelloBuilder.KeyShare, HelloBuilder.Shares((29, []))), TlsAlert.DecodeError,
            TlsAlert.IllegalParameter);
        yield return Refused(
            "tls13-ecdhe-curves: a point that is none", "RFC 8446, 4.2.8.2",
            Set13(HelloBuilder.KeyShare, HelloBuilder.Shares((23, [4, .. new byte[64]]))), TlsAlert.IllegalParameter);
        yield return Refused(
            "tls13-lengths: shares that are cut", Presentation, Set13(HelloBuilder.KeyShare, 0, 40, 0, 29, 0, 32, 1), TlsAlert.DecodeError);
        yield return Refused(
            "tls13-session-resumption: a key that is not last", "RFC 8446, 4.2.11",
            HelloBuilder.For13().Set(HelloBuilder.PreSharedKey, StrangeKey()).Add(HelloBuilder.Padding, [0]),
            TlsAlert.IllegalParameter);
        yield return Hello(
            "tls13-session-resumption: a key of nobody", "RFC 8446, 4.2.11", Set13(HelloBuilder.PreSharedKey, StrangeKey()),
            static answer => Is13(answer) && !Has(answer, HelloBuilder.PreSharedKey));
        yield return Refused(
            "tls13-psk_dhe_ke: a key without modes", "RFC 8446, 4.2.9",
            HelloBuilder.For13().Without(HelloBuilder.KeyModes).Set(HelloBuilder.PreSharedKey, StrangeKey()), MissingExtension);
    }

    /// <summary>A session that no server has given. Source: RFC 8446, section 4.2.11.</summary>
    private static byte[] StrangeKey()
        => [.. HelloBuilder.List16([.. HelloBuilder.List16(new byte[64]), 0, 0, 0, 1]), .. HelloBuilder.List16([32, .. new byte[32]])];

    private static void AddUnknown(HelloBuilder hello, int count)
    {
        for (int number = 0; number < count; number++)
        {
            hello.Add((ushort)(0x8000 + number), [1]);
        }
    }

    private static bool Is13(ServerAnswer answer) => answer.Negotiated == 0x0304;

    private static bool Is12(ServerAnswer answer) => answer.Negotiated == 0x0303;

    private static bool Has(ServerAnswer answer, ushort extension) => answer.Extensions.ContainsKey(extension);

    private static bool Chose(ServerAnswer answer, string name)
        => answer.Extensions.TryGetValue(HelloBuilder.Alpn, out byte[]? chosen) && chosen.AsSpan().SequenceEqual(HelloBuilder.Protocols(name));
}

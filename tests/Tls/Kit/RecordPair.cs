using System.Net.Security;

namespace Ioxide.Tls.Tests;

/// <summary>Both ends of one direction, whose record numbers a test may set back.</summary>
internal sealed class RecordPair : IDisposable
{
    private RecordPair(TlsCipherSuite id)
    {
        Suite = RecordSuite.Of(id);
        Sealer = new RecordSealer(Keys(), 0);
        Opener = new RecordOpener(Keys(), 0);
    }

    /// <summary>TLS 1.3 and 1.2, with and without a nonce in the record.</summary>
    internal static Func<RecordPair>[] Shapes { get; } =
    [
        static () => new(TlsCipherSuite.TLS_AES_128_GCM_SHA256),
        static () => new(TlsCipherSuite.TLS_CHACHA20_POLY1305_SHA256),
        static () => new(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
        static () => new(TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
    ];

    internal RecordSuite Suite { get; }

    internal RecordSealer Sealer { get; }

    internal RecordOpener Opener { get; }

    internal static IEnumerable<RecordPair> OfEachShape() => Shapes.Select(static make => make());

    internal byte[] Seal(ulong number, RecordType type, ReadOnlySpan<byte> content)
    {
        Sealer.Sequence = number;
        byte[] record = new byte[content.Length + Sealer.OverheadBytes];
        Assert.Equal(record.Length, Sealer.Seal(type, content, record));
        return record;
    }

    public void Dispose()
    {
        Sealer.Dispose();
        Opener.Dispose();
    }

    private RecordKeys Keys()
    {
        if (Suite.IsTls13)
        {
            return RecordKeys.FromSecret(Suite, Payload.Of(48));
        }

        (RecordKeys client, RecordKeys server) = RecordKeys.FromMaster(Suite, Payload.Of(48), Payload.Of(32), Payload.Of(32));
        server.Dispose();
        return client;
    }
}

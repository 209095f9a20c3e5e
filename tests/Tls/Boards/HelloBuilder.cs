using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Ioxide.Tls.Tests;

/// <summary>A client's hello, of which everything can be changed. Source: RFC 8446, section 4.1.2; RFC 5246, section 7.4.1.2.</summary>
internal sealed class HelloBuilder
{
    internal const ushort ServerName = 0;
    internal const ushort FragmentLength = 1;
    internal const ushort Groups = 10;
    internal const ushort PointFormats = 11;
    internal const ushort SignatureAlgorithms = 13;
    internal const ushort Heartbeat = 15;
    internal const ushort Alpn = 16;
    internal const ushort Padding = 21;
    internal const ushort EncryptThenMac = 22;
    internal const ushort ExtendedMasterSecret = 23;
    internal const ushort Ticket = 35;
    internal const ushort PreSharedKey = 41;
    internal const ushort SupportedVersions = 43;
    internal const ushort KeyModes = 45;
    internal const ushort KeyShare = 51;
    internal const ushort Renegotiation = 0xff01;

    internal const ushort X25519 = 29;
    internal const ushort P256 = 23;
    internal const byte ClientHelloType = 1;

    internal static readonly ushort[] Suites13 = [0x1301, 0x1302, 0x1303];
    internal static readonly ushort[] Suites12 = [0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8];

    internal ushort Version { get; set; } = 0x0303;

    /// <summary>Of the records; it means nothing.</summary>
    internal ushort RecordVersion { get; set; } = 0x0301;

    internal byte[] SessionId { get; set; } = RandomNumberGenerator.GetBytes(32);

    internal byte[] Suites { get; set; } = [];

    internal byte[] Compressions { get; set; } = [0];

    internal List<(ushort Type, byte[] Body)> Extensions { get; } = [];

    /// <summary>Both versions are offered, and a key for X25519.</summary>
    internal static HelloBuilder For13()
    {
        HelloBuilder hello = For12();
        hello.Suites = Words([.. Suites13, .. Suites12]);
        hello.Set(SupportedVersions, [4, 3, 4, 3, 3]);
        hello.Set(KeyModes, [1, 1]);
        hello.Set(KeyShare, Shares((X25519, NewKey())));
        return hello;
    }

    /// <summary>As a client that knows TLS 1.2 alone.</summary>
    internal static HelloBuilder For12()
    {
        HelloBuilder hello = new() { Suites = Words(Suites12) };
        hello.Set(ServerName, Names((0, Encoding.ASCII.GetBytes(TestCertificates.ServerName))));
        hello.Set(Groups, List16(Words(X25519, P256)));
        hello.Set(PointFormats, [1, 0]);
        hello.Set(SignatureAlgorithms, List16(Words(0x0403, 0x0503, 0x0804, 0x0805, 0x0401, 0x0501)));
        hello.Set(ExtendedMasterSecret, []);
        hello.Set(Renegotiation, [0]);
        return hello;
    }

    /// <summary>Any 32 bytes are a public key of X25519. Source: RFC 7748, section 5.</summary>
    internal static byte[] NewKey() => RandomNumberGenerator.GetBytes(32);

    internal static byte[] Words(params ushort[] words)
        => [.. words.SelectMany(static word => new[] { (byte)(word >> 8), (byte)word })];

    /// <summary>Bytes behind their length of two bytes.</summary>
    internal static byte[] List16(byte[] bytes) => [(byte)(bytes.Length >> 8), (byte)bytes.Length, .. bytes];

    internal static byte[] Shares(params (ushort Group, byte[] Key)[] shares)
        => List16([.. shares.SelectMany(static share => (byte[])[.. Words(share.Group), .. List16(share.Key)])]);

    internal static byte[] Names(params (byte Type, byte[] Name)[] names)
        => List16([.. names.SelectMany(static name => (byte[])[name.Type, .. List16(name.Name)])]);

    internal static byte[] Protocols(params string[] names)
        => List16([.. names.SelectMany(static name => (byte[])[(byte)name.Length, .. Encoding.ASCII.GetBytes(name)])]);

    /// <summary>Puts an extension in place of the one of its type, or last.</summary>
    internal HelloBuilder Set(ushort type, byte[] body)
    {
        int index = Extensions.FindIndex(extension => extension.Type == type);
        if (index < 0)
        {
            Extensions.Add((type, body));
        }
        else
        {
            Extensions[index] = (type, body);
        }

        return this;
    }

    internal HelloBuilder Add(ushort type, byte[] body)
    {
        Extensions.Add((type, body));
        return this;
    }

    internal HelloBuilder Without(params ushort[] types)
    {
        Extensions.RemoveAll(extension => types.Contains(extension.Type));
        return this;
    }

    internal HelloBuilder With(Action<HelloBuilder> change)
    {
        change(this);
        return this;
    }

    /// <summary>The body of the message, without its head.</summary>
    internal byte[] Body()
    {
        byte[] extensions = [.. Extensions.SelectMany(static extension => (byte[])[.. Words(extension.Type), .. List16(extension.Body)])];
        byte[] list = Extensions.Count > 0 ? List16(extensions) : [];
        return
        [
            .. Words(Version), .. RandomNumberGenerator.GetBytes(32), (byte)SessionId.Length, .. SessionId, .. List16(Suites),
            (byte)Compressions.Length, .. Compressions, .. list,
        ];
    }

    /// <summary>The message in records of so many bytes.</summary>
    internal byte[] Records(int fragmentBytes = RecordHeader.MaxPlaintext) => Records(Message(ClientHelloType, Body()), RecordVersion, fragmentBytes);

    internal static byte[] Records(byte[] message, ushort version = 0x0301, int fragmentBytes = RecordHeader.MaxPlaintext)
        => [.. message.Chunk(fragmentBytes).SelectMany(part => Record(RecordType.Handshake, part, version))];

    internal static byte[] Message(byte type, byte[] body) => [type, (byte)(body.Length >> 16), (byte)(body.Length >> 8), (byte)body.Length, .. body];

    internal static byte[] Record(RecordType type, byte[] content, ushort version = 0x0303) => [(byte)type, .. Words(version), .. List16(content)];

    internal static ushort Word(ReadOnlySpan<byte> bytes) => BinaryPrimitives.ReadUInt16BigEndian(bytes);
}

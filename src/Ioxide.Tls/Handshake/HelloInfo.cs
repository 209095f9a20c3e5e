using System.Globalization;

namespace Ioxide.Tls;

/// <summary>What a whole ClientHello says that options are looked up by, before OpenSSL sees it.</summary>
/// <param name="ServerName">The name that the client asks for (SNI), as it is sent; empty where there is none.</param>
/// <param name="Versions">The versions that the client offers.</param>
/// <remarks>
/// The certificate, its tickets and the rules of a handshake belong to one context, so the context is chosen before the handshake begins: a
/// session is resumed only in the context that it was made in. OpenSSL judges the hello afterwards; what is malformed is empty here.
/// Source: RFC 8446, sections 4.1.2 and 4.2.1; RFC 6066, section 3.
/// </remarks>
internal readonly record struct HelloInfo(string ServerName, SslProtocols Versions)
{
    private const int HeadBytes = 4;
    private const int VersionBytes = 2;
    private const int RandomBytes = 32;
    private const int MaxNameBytes = 255;
    private const ushort ServerNameExtension = 0;
    private const ushort VersionsExtension = 43;

    private static readonly IdnMapping s_international = new();

    /// <summary>The name as SslStream gives it to applications: decoded where it is international.</summary>
    internal string Name => Decode(ServerName);

    internal static string Decode(string name)
    {
        try
        {
            return name.Length == 0 ? name : s_international.GetUnicode(name);
        }
        catch (ArgumentException)
        {
            // No name of that kind.
            return name;
        }
    }

    /// <summary>Reads the records of a hello that <see cref="HelloScan"/> has found whole.</summary>
    internal static HelloInfo Read(ReadOnlySequence<byte> records)
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent(HelloScan.MaxBytes);
        try
        {
            int count = 0;
            while (RecordHeader.IsWhole(records, 0, out RecordHeader header))
            {
                ReadOnlySequence<byte> body = records.Slice(RecordHeader.SizeInBytes, header.LengthBytes);
                body.CopyTo(rented.AsSpan(count));
                count += header.LengthBytes;
                records = records.Slice(body.End);
            }

            return Read(rented.AsSpan(0, count));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    internal static HelloInfo Read(ReadOnlySpan<byte> message)
    {
        ReadOnlySpan<byte> rest = Skip(message, HeadBytes);
        ushort version = rest.Length >= VersionBytes ? BinaryPrimitives.ReadUInt16BigEndian(rest) : (ushort)0;
        rest = Skip(rest, VersionBytes + RandomBytes);
        _ = Take(ref rest, 1); // session id
        _ = Take(ref rest, 2); // suites
        _ = Take(ref rest, 1); // compression
        ReadOnlySpan<byte> extensions = Take(ref rest, 2);
        var info = new HelloInfo("", ProtocolOf(version));
        while (extensions.Length >= VersionBytes)
        {
            ushort type = BinaryPrimitives.ReadUInt16BigEndian(extensions);
            extensions = extensions[VersionBytes..];
            ReadOnlySpan<byte> value = Take(ref extensions, 2);
            info = type switch
            {
                ServerNameExtension => info with { ServerName = ReadName(value) },
                VersionsExtension => info with { Versions = ReadVersions(value) },
                _ => info,
            };
        }

        return info;
    }

    /// <summary>Takes what stands behind a length of so many bytes, and leaves what follows it. Empty where there is less.</summary>
    private static ReadOnlySpan<byte> Take(ref ReadOnlySpan<byte> bytes, int sizeBytes)
    {
        int length = bytes.Length < sizeBytes ? int.MaxValue : sizeBytes == 1 ? bytes[0] : BinaryPrimitives.ReadUInt16BigEndian(bytes);
        if (length > bytes.Length - sizeBytes)
        {
            bytes = default;
            return default;
        }

        ReadOnlySpan<byte> taken = bytes.Slice(sizeBytes, length);
        bytes = bytes[(sizeBytes + length)..];
        return taken;
    }

    private static ReadOnlySpan<byte> Skip(ReadOnlySpan<byte> bytes, int count) => bytes.Length < count ? default : bytes[count..];

    private static string ReadName(ReadOnlySpan<byte> value)
    {
        ReadOnlySpan<byte> list = Take(ref value, 2);
        const byte HostName = 0;
        if (list.Length == 0 || list[0] != HostName)
        {
            return "";
        }

        list = list[1..];
        ReadOnlySpan<byte> name = Take(ref list, 2);

        // OpenSSL refuses a name with a zero or that is longer.
        return name.Length > MaxNameBytes || name.Contains((byte)0) ? "" : Encoding.UTF8.GetString(name);
    }

    private static SslProtocols ReadVersions(ReadOnlySpan<byte> value)
    {
        ReadOnlySpan<byte> list = Take(ref value, 1);
        var versions = SslProtocols.None;
        for (; list.Length >= VersionBytes; list = list[VersionBytes..])
        {
            versions |= ProtocolOf(BinaryPrimitives.ReadUInt16BigEndian(list));
        }

        return versions;
    }

    private static SslProtocols ProtocolOf(int version)
    {
        bool is13 = version == RecordHeader.Version13;
        bool is12 = version == RecordHeader.Version12;
        return is13 ? SslProtocols.Tls13 : is12 ? SslProtocols.Tls12 : SslProtocols.None;
    }
}

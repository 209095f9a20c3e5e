using System.Buffers;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ioxide.AspNetCore.Tests;

/// <summary>Headers of both versions as bytes: whole, cut at each byte, wrong in each field, and mutated at random.</summary>
public class HeaderReadingTests
{
    private const int Limit = 4096;

    private static readonly int s_mutations = Scale.Of(200_000);

    public static TheoryData<string, byte[]> WholeHeaders => new()
    {
        { "IPv4", HeaderBytes.OfClient() },
        { "IPv6", HeaderBytes.Of(HeaderBytes.Client6, HeaderBytes.Service6) },
        { "unix", HeaderBytes.OfUnix("/run/client"u8.ToArray(), "/run/service"u8.ToArray()) },
        { "local", HeaderBytes.Raw(HeaderBytes.Local, HeaderBytes.Unspecified, []) },
        { "sum", HeaderBytes.WithSum() },
        { "line", "PROXY TCP4 203.0.113.7 198.51.100.1 51000 443\r\n"u8.ToArray() },
        { "unknown line", "PROXY UNKNOWN\r\n"u8.ToArray() },
    };

    [Theory, MemberData(nameof(WholeHeaders))]
    public void AHeaderIsReadWhenItsLastByteIsThereAndNoSooner(string name, byte[] header)
    {
        byte[] bytes = [.. header, .. "GET /"u8];
        for (int length = 0; length < header.Length; length++)
        {
            ProxyHeaderReading reading = Read(bytes.AsMemory(0, length));
            Assert.True(reading == ProxyHeaderReading.Incomplete, $"{name}: {length} of {header.Length} bytes: {reading}");
        }

        for (int length = header.Length; length <= bytes.Length; length++)
        {
            Assert.Equal(header.Length, Read(bytes.AsMemory(0, length)).Header!.LengthBytes);
        }
    }

    [Theory, MemberData(nameof(WholeHeaders))]
    public void ItDoesNotMatterWhereSegmentsEnd(string name, byte[] header)
    {
        ProxyHeader expected = Read(header).Header!;
        for (int cut = 1; cut < header.Length; cut++)
        {
            ProxyHeader? read = ProxyHeaderReading.Of(Segments(header, cut), Limit).Header;
            Assert.True(read is not null, $"{name}: nothing was read with a cut at {cut}.");
            Assert.Equal((expected.Source, expected.Destination), (read.Source, read.Destination));
            Assert.Equal(expected.Values.ToArray(), read.Values.ToArray());
        }
    }

    [Fact]
    public void AddressesOfEachFamilyAreTaken()
    {
        AssertEndPoints(HeaderBytes.Client, HeaderBytes.Service, HeaderBytes.OfClient());
        AssertEndPoints(HeaderBytes.Client6, HeaderBytes.Service6, HeaderBytes.Of(HeaderBytes.Client6, HeaderBytes.Service6));
        AssertEndPoints(HeaderBytes.Client, HeaderBytes.Service, "PROXY TCP4 203.0.113.7 198.51.100.1 51000 443\r\n"u8.ToArray());
        AssertEndPoints(HeaderBytes.Client6, HeaderBytes.Service6, "PROXY TCP6 2001:db8::7 2001:DB8:1::1 51000 443\r\n"u8.ToArray());
        AssertEndPoints(
            new UnixDomainSocketEndPoint("/run/client"),
            new UnixDomainSocketEndPoint("/run/service"),
            HeaderBytes.OfUnix("/run/client"u8.ToArray(), "/run/service"u8.ToArray()));
        AssertEndPoints(new UnixDomainSocketEndPoint("\0abstract"), null, HeaderBytes.OfUnix("\0abstract"u8.ToArray(), []));
    }

    [Fact]
    public void UnixNamesThatNothingCanHoldAreUnknown()
    {
        byte[] endless = Encoding.ASCII.GetBytes(new string('a', 108));
        AssertEndPoints(null, null, HeaderBytes.OfUnix(endless, [0xFF, 0xFE]));
    }

    [Fact]
    public void WhereTheHeaderNamesNobodyTheConnectionKeepsItsAddresses()
    {
        byte[] block = HeaderBytes.OfClient()[HeaderBytes.FixedBytes..];
        foreach (byte[] header in (byte[][])
        [
            HeaderBytes.Raw(HeaderBytes.Local, HeaderBytes.Unspecified, []),
            HeaderBytes.Raw(HeaderBytes.Local, HeaderBytes.Tcp4, block),
            HeaderBytes.Raw(HeaderBytes.Local, 0xFF, [1, 2, 3]),
            HeaderBytes.Raw(HeaderBytes.Proxy, HeaderBytes.Unspecified, []),
            HeaderBytes.Raw(HeaderBytes.Proxy, HeaderBytes.Unspecified, [1, 2, 3]),
            HeaderBytes.Raw(HeaderBytes.Proxy, HeaderBytes.Udp4, block),
            [.. "PROXY UNKNOWN\r\n"u8],
            [.. "PROXY UNKNOWN what ever this is\r\n"u8],
        ])
        {
            ProxyHeader read = Read(header).Header!;
            Assert.False(read.HasEndPoints);
            Assert.Equal(header.Length, read.LengthBytes);
            Assert.Equal(header[0] == '\r' && header[12] == HeaderBytes.Local, read.IsLocal);
        }
    }

    [Theory, Each(
        "PROXY TCP4 203.0.113.7 198.51.100.1 51000 443 \r\n", "PROXY TCP4 203.0.113.7 198.51.100.1 51000\r\n",
        "PROXY TCP4  203.0.113.7 198.51.100.1 51000 443\r\n", "PROXY TCP4 203.0.113.07 198.51.100.1 51000 443\r\n",
        "PROXY TCP4 203.0.113 198.51.100.1 51000 443\r\n", "PROXY TCP4 0xCB.0.113.7 198.51.100.1 51000 443\r\n",
        "PROXY TCP4 2001:db8::7 198.51.100.1 51000 443\r\n", "PROXY TCP6 203.0.113.7 198.51.100.1 51000 443\r\n",
        "PROXY TCP6 [2001:db8::7] 2001:db8:1::1 51000 443\r\n", "PROXY TCP6 fe80::1%lo 2001:db8:1::1 51000 443\r\n",
        "PROXY TCP4 203.0.113.7 198.51.100.1 65536 443\r\n", "PROXY TCP4 203.0.113.7 198.51.100.1 051000 443\r\n",
        "PROXY TCP4 203.0.113.7 198.51.100.1 -1 443\r\n", "PROXY TCP4 203.0.113.7 198.51.100.1 51000 443\n\r\n",
        "PROXY UDP4 203.0.113.7 198.51.100.1 51000 443\r\n", "PROXY  TCP4 203.0.113.7 198.51.100.1 51000 443\r\n")]
    public void ALineThatIsNotAsSpecifiedIsRefused(string line)
        => Assert.Contains("send-proxy-v2", Read(Encoding.Latin1.GetBytes(line)).Problem, StringComparison.Ordinal);

    [Fact]
    public void ALineWithoutEndIsRefusedAtItsLimit()
    {
        byte[] line = Encoding.ASCII.GetBytes("PROXY UNKNOWN ".PadRight(ProxyHeaderV1.MaxBytes, 'x'));
        Assert.Equal(ProxyHeaderReading.Incomplete, Read(line.AsMemory(0, ProxyHeaderV1.MaxBytes - 1)));
        Assert.NotNull(Read(line).Problem);
        Assert.NotNull(Read((byte[])[.. line[..^1], .. "\r\n"u8]).Problem);
        Assert.NotNull(Read((byte[])[.. line[..^2], .. "\r\n"u8]).Header);
    }

    [Fact]
    public void BytesThatNoHeaderBeginsWithAreRefusedWhenTheyCome()
    {
        foreach (byte[] signature in (byte[][])[HeaderBytes.OfClient()[..12], [.. "PROXY "u8]])
        {
            for (int index = 0; index < signature.Length; index++)
            {
                byte[] wrong = [.. signature[..index], (byte)(signature[index] ^ 0x80)];
                Assert.Contains("no PROXY protocol header", Read(wrong).Problem, StringComparison.Ordinal);
            }
        }
    }

    [Theory]
    [InlineData(0x10, HeaderBytes.Tcp4, "version 1")]
    [InlineData(0x31, HeaderBytes.Tcp4, "version 3")]
    [InlineData(0x22, HeaderBytes.Tcp4, "command 2")]
    [InlineData(0x2F, HeaderBytes.Tcp4, "command 15")]
    [InlineData(HeaderBytes.Proxy, 0x41, "family 4")]
    [InlineData(HeaderBytes.Proxy, 0x13, "protocol 3")]
    [InlineData(HeaderBytes.Proxy, 0x03, "protocol 3")]
    public void WhatTheVersionDoesNotKnowIsRefused(int versionAndCommand, int familyAndProtocol, string named)
    {
        byte[] header = HeaderBytes.Raw((byte)versionAndCommand, (byte)familyAndProtocol, HeaderBytes.OfClient()[HeaderBytes.FixedBytes..]);
        Assert.Contains(named, Read(header).Problem, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(HeaderBytes.Tcp4, 12)]
    [InlineData(HeaderBytes.Tcp6, 36)]
    [InlineData(HeaderBytes.Unix, 216)]
    public void AddressesAreWholeOrRefused(byte family, int lengthBytes)
    {
        for (int length = 0; length < lengthBytes; length++)
        {
            Assert.Contains(
                "within the addresses", Read(HeaderBytes.Raw(HeaderBytes.Proxy, family, new byte[length])).Problem, StringComparison.Ordinal);
        }

        Assert.NotNull(Read(HeaderBytes.Raw(HeaderBytes.Proxy, family, new byte[lengthBytes])).Header);
    }

    [Fact]
    public void ALongHeaderIsRefusedBeforeItIsThere()
    {
        byte[] fits = HeaderBytes.OfClient(HeaderBytes.Value(HeaderBytes.Noop, new byte[Limit - 28 - 3]));
        Assert.Equal(Limit, fits.Length);
        Assert.NotNull(Read(fits).Header);
        byte[] tooLong = HeaderBytes.OfClient(HeaderBytes.Value(HeaderBytes.Noop, new byte[Limit - 28 - 3 + 1]));
        Assert.Contains("MaxHeaderBytes", Read(tooLong.AsMemory(0, HeaderBytes.FixedBytes)).Problem, StringComparison.Ordinal);
    }

    [Fact]
    public void TheFirstValueOfATypeIsFound()
    {
        ProxyHeader header = Read(HeaderBytes.OfClient(
            HeaderBytes.Value(0x01, "h2"),
            HeaderBytes.Value(HeaderBytes.Authority, "bücher.example"),
            HeaderBytes.Value(HeaderBytes.Noop),
            HeaderBytes.Value(0xE0, 9, 8, 7),
            HeaderBytes.Value(HeaderBytes.UniqueId, 1, 2, 3),
            HeaderBytes.Value(0xE0, 6))).Header!;

        Assert.Equal("bücher.example", TextOf(header, HeaderBytes.Authority));
        Assert.Equal("", TextOf(header, HeaderBytes.Noop));
        Assert.Equal("\u0001\u0002\u0003", TextOf(header, HeaderBytes.UniqueId));
        Assert.Equal("\u0009\u0008\u0007", TextOf(header, 0xE0));
        Assert.Null(TextOf(header, 0x30));
        Assert.Equal((false, false), (header.IsClientTls, header.IsClientCertificateValid));
    }

    [Fact]
    public void TheClientsTlsIsRead()
    {
        byte[] inner = [.. HeaderBytes.Value(0x21, "TLSv1.3"), .. HeaderBytes.Value(0x22, "anna")];

        // Outside of the client's TLS a value of its types means nothing.
        ProxyHeader verified = Read(HeaderBytes.OfClient(
            HeaderBytes.Value(0x22, "berta"),
            HeaderBytes.Value(HeaderBytes.Tls, [7, 0, 0, 0, 0, .. inner]),
            HeaderBytes.Value(0x23, "none"))).Header!;
        Assert.Equal((true, true), (verified.IsClientTls, verified.IsClientCertificateValid));
        Assert.Equal(("TLSv1.3", "anna", null), (TextOf(verified, 0x21), TextOf(verified, 0x22), TextOf(verified, 0x23)));

        ProxyHeader refused = Tls([5, 0, 0, 0, 18]).Header!;
        Assert.Equal((true, false), (refused.IsClientTls, refused.IsClientCertificateValid));

        // The result is 0 also where there was nothing to verify.
        ProxyHeader none = Tls([1, 0, 0, 0, 0]).Header!;
        Assert.Equal((true, false), (none.IsClientTls, none.IsClientCertificateValid));
        Assert.False(Tls([0, 0, 0, 0, 0]).Header!.IsClientTls);

        Assert.NotNull(Tls([1, 0, 0, 0]).Problem);
        Assert.NotNull(Tls([1, 0, 0, 0, 0, .. inner[..^1]]).Problem);

        static ProxyHeaderReading Tls(byte[] value) => Read(HeaderBytes.OfClient(HeaderBytes.Value(HeaderBytes.Tls, value)));
    }

    [Fact]
    public void AValueThatIsCutIsRefused()
    {
        byte[] value = HeaderBytes.Value(HeaderBytes.UniqueId, 1, 2, 3);
        for (int length = 1; length < value.Length; length++)
        {
            Assert.Contains("within a value", Read(HeaderBytes.OfClient(value[..length])).Problem, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void AHeaderWithAChecksumIsRefusedWhenAnyBitOfItChanged()
    {
        byte[] header = HeaderBytes.WithSum();
        Assert.NotNull(Read(header).Header);

        // The bytes before say how the rest is read, and the type that it is a checksum.
        int typeOffset = HeaderBytes.SumOffset - 3;
        for (int bit = 8 * HeaderBytes.FixedBytes; bit < 8 * header.Length; bit++)
        {
            if (bit / 8 == typeOffset)
            {
                continue;
            }

            byte[] changed = [.. header];
            changed[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.True(Read(changed).Problem is not null, $"Bit {bit} changed and nobody noticed.");
        }
    }

    [Fact]
    public void OneChecksumOfFourBytesIsTaken()
    {
        byte[] header = HeaderBytes.WithSum();
        byte[] twice = HeaderBytes.Raw(
            HeaderBytes.Proxy, HeaderBytes.Tcp4, header[HeaderBytes.FixedBytes..], HeaderBytes.Value(HeaderBytes.Crc32c, 0, 0, 0, 0));
        Assert.NotNull(Read(twice).Problem);
        Assert.NotNull(Read(HeaderBytes.OfClient(HeaderBytes.Value(HeaderBytes.Crc32c, 0, 0, 0))).Problem);
    }

    /// <summary>Whatever comes, it is one of three: not whole, whole and within what came, refused with a reason. Nothing throws.</summary>
    [Fact]
    public void MutatedHeadersAreReadOrRefused()
    {
        string? given = Environment.GetEnvironmentVariable("IOXIDE_SEED");
        int seed = given is null ? Environment.TickCount & 0xFFFFFF : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"IOXIDE_SEED={seed}");
        var random = new Random(seed);
        byte[][] seeds = [.. WholeHeaders.Select(static row => row.Data.Item2)];
        int[] outcomes = new int[3];
        for (int round = 0; round < s_mutations; round++)
        {
            byte[] bytes = Mutate(seeds[random.Next(seeds.Length)], random);
            ProxyHeaderReading reading = ProxyHeaderReading.Of(Segments(bytes, random.Next(bytes.Length + 1)), Limit);
            outcomes[reading.Header is not null ? 0 : reading.Problem is not null ? 1 : 2]++;
            if (reading.Header is { } header)
            {
                Assert.Null(reading.Problem);
                Assert.InRange(header.LengthBytes, 1, bytes.Length);
                _ = (header.IsClientTls, header.IsClientCertificateValid, header.TryGetValue(0x22, out _), header.TryGetValue(0xEF, out _));
            }
            else if (reading.Problem is null)
            {
                Assert.InRange(bytes.Length, 0, Limit);
            }
        }

        Assert.DoesNotContain(0, outcomes);
    }

    private static byte[] Mutate(byte[] header, Random random)
    {
        List<byte> bytes = [.. header, .. "rest"u8];
        for (int count = random.Next(1, 5); count > 0; count--)
        {
            int index = random.Next(bytes.Count);
            switch (random.Next(4))
            {
                case 0:
                    bytes[index] = (byte)random.Next(256);
                    break;
                case 1:
                    bytes[index] ^= (byte)(1 << random.Next(8));
                    break;
                case 2:
                    bytes.Insert(index, (byte)random.Next(256));
                    break;
                default:
                    bytes.RemoveRange(index, Math.Min(random.Next(1, 8), bytes.Count - index - 1));
                    break;
            }
        }

        return [.. bytes];
    }

    private static void AssertEndPoints(EndPoint? source, EndPoint? destination, byte[] bytes)
    {
        ProxyHeader header = Read(bytes).Header!;
        Assert.True(header.HasEndPoints);
        Assert.Equal((source, destination), (header.Source, header.Destination));
    }

    private static string? TextOf(ProxyHeader header, byte type)
        => header.TryGetValue(type, out ReadOnlyMemory<byte> value) ? Encoding.UTF8.GetString(value.Span) : null;

    private static ProxyHeaderReading Read(ReadOnlyMemory<byte> bytes) => ProxyHeaderReading.Of(new ReadOnlySequence<byte>(bytes), Limit);

    private static ReadOnlySequence<byte> Segments(byte[] bytes, int cut)
    {
        var first = new Segment(bytes.AsMemory(0, cut), 0, null);
        var last = new Segment(bytes.AsMemory(cut), cut, first);
        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        internal Segment(ReadOnlyMemory<byte> memory, long runningIndex, Segment? before)
        {
            Memory = memory;
            RunningIndex = runningIndex;
            if (before is not null)
            {
                before.Next = this;
            }
        }
    }
}

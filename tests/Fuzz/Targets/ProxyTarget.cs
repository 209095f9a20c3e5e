using System.Buffers;
using System.Text;
using Ioxide.AspNetCore;

namespace Ioxide.Fuzz;

/// <summary>The head of the PROXY protocol, in one segment, in many, and by its prefixes.</summary>
internal sealed class ProxyTarget() : FuzzTarget("proxy")
{
    private const int MaxHeaderBytes = 1024;

    internal override IEnumerable<byte[]> Seeds()
    {
        string signature = "0d0a0d0a000d0a515549540a";
        yield return Encoding.ASCII.GetBytes("PROXY TCP4 192.0.2.1 198.51.100.7 56324 443\r\nGET / HTTP/1.1\r\n");
        yield return Encoding.ASCII.GetBytes("PROXY TCP6 2001:db8::1 2001:db8::2 1 65535\r\n");
        yield return Encoding.ASCII.GetBytes("PROXY UNKNOWN ffff:f...f:ffff 65535\r\n");
        yield return Convert.FromHexString(signature + "2111000cc0000201c6336407dc0401bb");
        yield return Convert.FromHexString(signature + "2000" + "0000");
        yield return Convert.FromHexString(signature + "21210024" + new string('0', 22) + "01" + "20010db8000000000000000000000002" + "000101bb");
        yield return Convert.FromHexString(signature + "21110020c0000201c6336407dc0401bb" + "20000f010000000021000754" + "4c537631" + "2e33" + "0400" + "02aa");
        yield return Convert.FromHexString(signature + "213100d8" + new string('6', 432));
    }

    internal override void Read(ReadOnlySpan<byte> input)
    {
        ProxyHeaderReading whole = ProxyHeaderReading.Of(Pieces.Whole(input), MaxHeaderBytes);
        ProxyHeaderReading cut = ProxyHeaderReading.Of(Pieces.Of(input), MaxHeaderBytes);
        Require(Describe(whole) == Describe(cut), "A header is read otherwise where it comes in pieces.");
        if (whole.Header is { } header)
        {
            Require(header.LengthBytes > 0 && header.LengthBytes <= input.Length, "A header is longer than what came.");
            ProxyHeaderReading exact = ProxyHeaderReading.Of(Pieces.Whole(input[..header.LengthBytes]), MaxHeaderBytes);
            Require(Describe(exact) == Describe(whole), "What stands behind a header changes it.");
            Require(
                ProxyHeaderReading.Of(Pieces.Whole(input[..(header.LengthBytes - 1)]), MaxHeaderBytes) == ProxyHeaderReading.Incomplete,
                "A header without its last byte is whole.");
        }
    }

    private static string Describe(ProxyHeaderReading reading)
    {
        if (reading.Header is not { } header)
        {
            return reading.Problem ?? "incomplete";
        }

        string values = string.Join(
            ' ', Enumerable.Range(0, 256).Select(type => header.TryGetValue((byte)type, out ReadOnlyMemory<byte> value) ? $"{type}:{Convert.ToHexString(value.Span)}" : ""));
        return $"{header.LengthBytes} {header.IsLocal} {header.Source} {header.Destination} {header.IsClientTls} {header.IsClientCertificateValid} {values}";
    }
}

using System.Globalization;

namespace Ioxide.AspNetCore;

/// <summary>Version 1 of the header: one line, <c>PROXY TCP4 SOURCE DESTINATION PORT PORT</c>, at most 107 bytes with its CRLF.</summary>
/// <remarks>
/// nginx sends no other, so it is taken beside version 2; the first byte tells them apart. Source: proxy-protocol.txt of HAProxy,
/// section 2.1: exactly one space between the fields, decimal numbers without leading zeros, and only CRLF ends the line.
/// </remarks>
internal static class ProxyHeaderV1
{
    internal const int MaxBytes = 107;

    private const int FieldCount = 6;
    private const string NotAsSpecified =
        "its PROXY line does not follow the specification. Make the balancer send version 2 (HAProxy: send-proxy-v2).";

    private static readonly SearchValues<char> s_addressCharacters = SearchValues.Create("0123456789abcdefABCDEF:.");

    internal static ReadOnlySpan<byte> Signature => "PROXY "u8;

    internal static ProxyHeaderReading Read(in ReadOnlySequence<byte> buffer)
    {
        Span<byte> bytes = stackalloc byte[MaxBytes];
        bytes = bytes[..(int)Math.Min(buffer.Length, MaxBytes)];
        buffer.Slice(0, bytes.Length).CopyTo(bytes);
        int end = bytes.IndexOf("\r\n"u8);
        if (end < 0)
        {
            return bytes.Length < MaxBytes ? ProxyHeaderReading.Incomplete : ProxyHeaderReading.Refused(NotAsSpecified);
        }

        Span<char> line = stackalloc char[end];
        Encoding.Latin1.GetChars(bytes[..end], line);
        return Parse(line, end + 2) is { } header ? new(header, null) : ProxyHeaderReading.Refused(NotAsSpecified);
    }

    private static ProxyHeader? Parse(ReadOnlySpan<char> line, int lengthBytes)
    {
        Span<Range> fields = stackalloc Range[FieldCount + 1];
        int count = line.Split(fields, ' ');
        ReadOnlySpan<char> protocol = line[fields[1]];
        if (protocol is "UNKNOWN")
        {
            // The rest of the line means nothing.
            return new ProxyHeader { LengthBytes = lengthBytes };
        }

        AddressFamily family = protocol switch
        {
            "TCP4" => AddressFamily.InterNetwork,
            "TCP6" => AddressFamily.InterNetworkV6,
            _ => AddressFamily.Unspecified,
        };
        return count == FieldCount
            && TryParse(line[fields[2]], line[fields[4]], family, out IPEndPoint? source)
            && TryParse(line[fields[3]], line[fields[5]], family, out IPEndPoint? destination)
            ? new ProxyHeader { LengthBytes = lengthBytes, HasEndPoints = true, Source = source, Destination = destination }
            : null;
    }

    private static bool TryParse(ReadOnlySpan<char> address, ReadOnlySpan<char> port, AddressFamily family, out IPEndPoint? endPoint)
    {
        endPoint = null;
        if (address.ContainsAnyExcept(s_addressCharacters)
            || !IPAddress.TryParse(address, out IPAddress? parsed)
            || parsed.AddressFamily != family
            || (family == AddressFamily.InterNetwork && !address.SequenceEqual(parsed.ToString()))
            || (port.Length > 1 && port[0] == '0')
            || !ushort.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out ushort number))
        {
            return false;
        }

        endPoint = new IPEndPoint(parsed, number);
        return true;
    }
}

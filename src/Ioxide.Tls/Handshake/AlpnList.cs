namespace Ioxide.Tls;

/// <summary>Application protocols as they go over the wire: each behind its length. Source: RFC 7301, section 3.1.</summary>
internal static class AlpnList
{
    internal static byte[] Encode(IEnumerable<SslApplicationProtocol> protocols)
    {
        var bytes = new List<byte>();
        foreach (SslApplicationProtocol protocol in protocols)
        {
            bytes.Add((byte)protocol.Protocol.Length);
            bytes.AddRange(protocol.Protocol.Span);
        }

        return [.. bytes];
    }

    /// <summary>Where in the offer the first of this side's protocols that it holds starts, with its length; -1 where it holds none.</summary>
    internal static int Select(ReadOnlySpan<byte> own, ReadOnlySpan<byte> offer)
    {
        for (int ownAt = 0; ownAt < own.Length; ownAt += 1 + own[ownAt])
        {
            ReadOnlySpan<byte> wanted = own.Slice(ownAt, 1 + own[ownAt]);
            for (int at = 0; at < offer.Length && at + 1 + offer[at] <= offer.Length; at += 1 + offer[at])
            {
                if (offer.Slice(at, 1 + offer[at]).SequenceEqual(wanted))
                {
                    return at;
                }
            }
        }

        return -1;
    }
}

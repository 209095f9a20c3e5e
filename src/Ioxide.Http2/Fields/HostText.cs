using System.Buffers;
using System.Net;

namespace Ioxide.Http2;

/// <summary>Validates hosts by Kestrel's rules (RFC 9110, section 7.2). Threads: any.</summary>
internal static class HostText
{
    private static readonly SearchValues<char> s_allowed =
        SearchValues.Create("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!$&'()-._~");

    /// <summary>Whether it is a name or an address with an optional port; empty is allowed.</summary>
    internal static bool IsValid(ReadOnlySpan<char> host)
    {
        if (host.IsEmpty)
        {
            return true;
        }

        int end;
        if (host[0] == '[')
        {
            end = host.IndexOf(']') + 1;
            return end > 2 && IPAddress.TryParse(host[1..(end - 1)], out IPAddress? address)
                && address.ToString().Contains(':', StringComparison.Ordinal)
                && IsPort(host[end..]);
        }

        end = host.IndexOfAnyExcept(s_allowed);
        return end < 0 || (end > 0 && IsPort(host[end..]));
    }

    private static bool IsPort(ReadOnlySpan<char> port)
        => port.IsEmpty || (port[0] == ':' && port.Length > 1 && !port[1..].ContainsAnyExceptInRange('0', '9'));
}

namespace Ioxide.Files;

/// <summary>The value of a <c>Host</c> field, where it leaves no doubt: RFC 9110, section 7.2.</summary>
internal static class HostText
{
    private const int MaxPortDigits = 5;

    // "::1" is the shortest.
    private const int MinAddressBytes = 3;

    // A part of RFC 3986's reg-name: what names and IPv4 addresses have.
    private static readonly SearchValues<byte> s_name = SearchValues.Create(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-_"u8);

    private static readonly SearchValues<byte> s_address = SearchValues.Create("0123456789ABCDEFabcdef.:"u8);

    /// <summary>Whether it is a name or an address, with or without a port.</summary>
    internal static bool IsPlain(ReadOnlySpan<byte> host)
    {
        int length;
        if (host is [(byte)'[', ..])
        {
            length = host.IndexOf((byte)']') + 1;
            if (length - 2 < MinAddressBytes || host[1..(length - 1)].ContainsAnyExcept(s_address))
            {
                return false;
            }
        }
        else
        {
            length = host.IndexOfAnyExcept(s_name);
            if (length < 0)
            {
                return !host.IsEmpty;
            }
        }

        return length > 0 && IsPort(host[length..]);
    }

    private static bool IsPort(ReadOnlySpan<byte> text)
        => text.IsEmpty
            || (text is [(byte)':', _, ..] && text.Length <= 1 + MaxPortDigits
                && !text[1..].ContainsAnyExceptInRange((byte)'0', (byte)'9'));
}

namespace Ioxide.Files;

/// <summary>Writes paths as request targets.</summary>
internal static class PathText
{
    // RFC 3986, section 3.3: what a segment may hold as it is; and the slash between segments.
    private static readonly System.Buffers.SearchValues<char> s_plain = System.Buffers.SearchValues.Create(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/");

    /// <summary>The path with everything else percent-encoded, in upper case.</summary>
    internal static string ToTarget(string path)
    {
        if (!path.AsSpan().ContainsAnyExcept(s_plain))
        {
            return path;
        }

        var target = new StringBuilder(path.Length * 2);
        Span<byte> bytes = stackalloc byte[4];
        foreach (Rune rune in path.EnumerateRunes())
        {
            if (rune.IsAscii && s_plain.Contains((char)rune.Value))
            {
                target.Append((char)rune.Value);
                continue;
            }

            foreach (byte value in bytes[..rune.EncodeToUtf8(bytes)])
            {
                target.Append('%').Append(value.ToString("X2", System.Globalization.CultureInfo.InvariantCulture));
            }
        }

        return target.ToString();
    }
}

namespace Ioxide.Files;

/// <summary>Takes header values apart. Source: RFC 9110, section 5.6.</summary>
internal static class HeaderText
{
    private const byte Space = (byte)' ';
    private const byte Tab = (byte)'\t';

    /// <summary>Removes spaces and tabs from both ends.</summary>
    internal static ReadOnlySpan<byte> Trim(ReadOnlySpan<byte> text) => TrimEnd(text.TrimStart([Space, Tab]));

    /// <summary>Takes the next element of a list; it may be empty. Not for lists whose elements are quoted.</summary>
    internal static ReadOnlySpan<byte> TakeElement(scoped ref ReadOnlySpan<byte> list) => TakeUntil(ref list, (byte)',');

    /// <summary>Takes what lies before the mark and leaves what lies behind it, both trimmed.</summary>
    internal static ReadOnlySpan<byte> TakeUntil(scoped ref ReadOnlySpan<byte> text, byte mark)
    {
        int length = text.IndexOf(mark);
        ReadOnlySpan<byte> taken = length < 0 ? text : text[..length];
        text = length < 0 ? default : Trim(text[(length + 1)..]);
        return Trim(taken);
    }

    private static ReadOnlySpan<byte> TrimEnd(ReadOnlySpan<byte> text) => text.TrimEnd([Space, Tab]);
}

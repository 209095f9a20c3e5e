namespace Ioxide.Files;

/// <summary>Takes header values apart. Source: RFC 9110, section 5.6.</summary>
internal static class HeaderText
{
    /// <summary>Removes spaces and tabs from both ends.</summary>
    internal static ReadOnlySpan<char> Trim(ReadOnlySpan<char> text) => text.Trim(" \t");

    /// <summary>Takes the next element of a list; it may be empty. Not for lists whose elements are quoted.</summary>
    internal static ReadOnlySpan<char> TakeElement(scoped ref ReadOnlySpan<char> list) => TakeUntil(ref list, ',');

    /// <summary>Takes what lies before the mark and leaves what lies behind it, both trimmed.</summary>
    internal static ReadOnlySpan<char> TakeUntil(scoped ref ReadOnlySpan<char> text, char mark)
    {
        int length = text.IndexOf(mark);
        ReadOnlySpan<char> taken = length < 0 ? text : text[..length];
        text = length < 0 ? default : Trim(text[(length + 1)..]);
        return Trim(taken);
    }
}

namespace Ioxide.Files;

/// <summary>Compares entity tags. Source: RFC 9110, section 8.8.3.</summary>
internal static class EntityTags
{
    /// <summary>Whether a list names the tag; <c>*</c> names every tag.</summary>
    /// <param name="list">The header's value: tags between commas. What is malformed ends it.</param>
    /// <param name="tag">A strong tag with its quotes.</param>
    /// <param name="isWeak">Whether weak tags in the list count (If-None-Match) or not (If-Match).</param>
    internal static bool Contains(ReadOnlySpan<char> list, ReadOnlySpan<char> tag, bool isWeak)
    {
        list = HeaderText.Trim(list);
        if (list.SequenceEqual("*"))
        {
            return true;
        }

        while (!list.IsEmpty)
        {
            if (list[0] == ',')
            {
                list = HeaderText.Trim(list[1..]);
                continue;
            }

            if (!TryTake(ref list, out ReadOnlySpan<char> candidate, out bool isCandidateWeak))
            {
                return false;
            }

            if ((isWeak || !isCandidateWeak) && candidate.SequenceEqual(tag))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether the value is a tag and not a date; a date cannot begin like one.</summary>
    internal static bool IsTag(ReadOnlySpan<char> value) => value.Length > 1 && (value[0] == '"' || value[1] == '/');

    private static bool TryTake(ref ReadOnlySpan<char> list, out ReadOnlySpan<char> tag, out bool isWeak)
    {
        tag = default;
        isWeak = list.StartsWith("W/");
        ReadOnlySpan<char> text = isWeak ? list[2..] : list;
        if (text.IsEmpty || text[0] != '"')
        {
            return false;
        }

        int close = text[1..].IndexOf('"');
        if (close < 0)
        {
            return false;
        }

        tag = text[..(close + 2)];
        list = HeaderText.Trim(text[(close + 2)..]);
        return list.IsEmpty || list[0] == ',';
    }
}

using System.Text;

namespace Ioxide.Pg;

/// <summary>Normalizes a password, so that the same text, typed in different ways, gives the same bytes.</summary>
/// <remarks>
/// Source: RFC 4013, with the order and the exceptions of PostgreSQL's pg_saslprep: ASCII-only text is left unchanged, and a
/// password that cannot be prepared is used as it is.
/// </remarks>
internal static class SaslPrep
{
    internal static string Prepare(string password)
    {
        if (Ascii.IsValid(password))
        {
            return password;
        }

        List<int>? codePoints = CodePoints(password);
        if (codePoints is null)
        {
            return password;
        }

        SaslPrepTables tables = SaslPrepTables.Instance;
        List<int> mapped = [];
        foreach (int codePoint in codePoints)
        {
            if (tables.Spaces.Contains(codePoint))
            {
                mapped.Add(' ');
            }
            else if (!tables.Dropped.Contains(codePoint))
            {
                mapped.Add(codePoint);
            }
        }

        List<int> normalized = CompatibilityForm.Compose(mapped, tables);
        return normalized.Count > 0 && IsAllowed(normalized, tables) ? Text(normalized) : password;
    }

    /// <summary>Whether no character is prohibited, and right-to-left text begins and ends right-to-left and has no other letters.</summary>
    private static bool IsAllowed(List<int> codePoints, SaslPrepTables tables)
        => !codePoints.Exists(tables.Prohibited.Contains)
            && (!codePoints.Exists(tables.RightToLeft.Contains)
                || (!codePoints.Exists(tables.LeftToRight.Contains)
                    && tables.RightToLeft.Contains(codePoints[0]) && tables.RightToLeft.Contains(codePoints[^1])));

    private static List<int>? CodePoints(string text)
    {
        List<int> codePoints = new(text.Length);
        for (int i = 0; i < text.Length; i++)
        {
            if (!Rune.TryGetRuneAt(text, i, out Rune rune))
            {
                return null; // Half a surrogate pair.
            }

            codePoints.Add(rune.Value);
            i += rune.Utf16SequenceLength - 1;
        }

        return codePoints;
    }

    private static string Text(List<int> codePoints)
    {
        var text = new StringBuilder(codePoints.Count);
        foreach (int codePoint in codePoints)
        {
            text.Append(new Rune(codePoint).ToString());
        }

        return text.ToString();
    }
}

/// <summary>Normalization form KC. Source: Unicode Standard, 3.11 and 3.12; Annex 15.</summary>
internal static class CompatibilityForm
{
    private const int SyllableBase = 0xAC00;
    private const int LeadBase = 0x1100;
    private const int VowelBase = 0x1161;
    private const int TrailBase = 0x11A7;
    private const int LeadCount = 19;
    private const int VowelCount = 21;
    private const int TrailCount = 28;
    private const int SyllableCount = LeadCount * VowelCount * TrailCount;

    internal static List<int> Compose(List<int> text, SaslPrepTables tables)
    {
        List<int> result = Decompose(text, tables);
        Order(result, tables);
        int starter = -1;
        int lastClass = -1;
        int length = 0;
        foreach (int codePoint in result.ToArray())
        {
            int combining = tables.Classes.GetValueOrDefault(codePoint);
            if (starter >= 0 && (lastClass < combining || lastClass == -1) && Pair(result[starter], codePoint, tables) is { } composed)
            {
                result[starter] = composed;
                continue;
            }

            if (combining == 0)
            {
                starter = length;
                lastClass = -1;
            }
            else
            {
                lastClass = combining;
            }

            result[length++] = codePoint;
        }

        result.RemoveRange(length, result.Count - length);
        return result;
    }

    private static List<int> Decompose(List<int> text, SaslPrepTables tables)
    {
        List<int> result = new(text.Count);
        foreach (int codePoint in text)
        {
            int syllable = codePoint - SyllableBase;
            if (syllable is >= 0 and < SyllableCount)
            {
                result.Add(LeadBase + (syllable / (VowelCount * TrailCount)));
                result.Add(VowelBase + (syllable % (VowelCount * TrailCount) / TrailCount));
                if (syllable % TrailCount != 0)
                {
                    result.Add(TrailBase + (syllable % TrailCount));
                }
            }
            else if (tables.Decompositions.TryGetValue(codePoint, out int[]? parts))
            {
                result.AddRange(parts);
            }
            else
            {
                result.Add(codePoint);
            }
        }

        return result;
    }

    /// <summary>Sorts the marks after a starter by class; equal ones keep their order.</summary>
    private static void Order(List<int> text, SaslPrepTables tables)
    {
        for (int i = 1; i < text.Count; i++)
        {
            int combining = tables.Classes.GetValueOrDefault(text[i]);
            for (int j = i; combining > 0 && j > 0 && tables.Classes.GetValueOrDefault(text[j - 1]) > combining; j--)
            {
                (text[j - 1], text[j]) = (text[j], text[j - 1]);
            }
        }
    }

    private static int? Pair(int first, int second, SaslPrepTables tables)
    {
        int lead = first - LeadBase;
        int vowel = second - VowelBase;
        if (lead is >= 0 and < LeadCount && vowel is >= 0 and < VowelCount)
        {
            return SyllableBase + (((lead * VowelCount) + vowel) * TrailCount);
        }

        int syllable = first - SyllableBase;
        int trail = second - TrailBase;
        if (syllable is >= 0 and < SyllableCount && syllable % TrailCount == 0 && trail is > 0 and < TrailCount)
        {
            return first + trail;
        }

        return tables.Compositions.TryGetValue((first, second), out int composed) ? composed : null;
    }
}

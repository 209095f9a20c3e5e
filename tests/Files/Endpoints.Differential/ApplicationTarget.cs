namespace Ioxide.Files.Tests;

/// <summary>Other spellings of request targets, some of the same path and some of others.</summary>
internal static class ApplicationTarget
{
    internal static string Mutate(FaultDice dice, string target)
    {
        int slash = target.LastIndexOf('/');
        int at = dice.Below(target.Length);
        return dice.Below(16) switch
        {
            0 or 1 => dice.ChangeCase(target),
            2 => target.EndsWith('/') ? target[..^1] + (target.Length == 1 ? "/" : "") : target + "/",
            3 => target.Insert(slash, "/"),
            4 => target.Insert(0, dice.Pick(["/.", "/x/..", "/..", "/%2e", "/x/%2E%2e", "//", "/private/.."])),
            5 => target.Insert(slash, dice.Pick(["/.", "/x/..", "/%2e%2E", "/..", "/...", "/x/%2e."])),
            6 => target + dice.Pick(["/.", "/..", "%2e", "/%2E%2E", "."]),
            7 => target[..slash] + dice.Pick(["%2F", "%2f", "%5C", "\\", "//"]) + target[(slash + 1)..],
            8 => target[..at] + $"%{(int)target[at]:X2}" + target[(at + 1)..],
            9 => target[..at] + $"%{(int)target[at]:x2}" + target[(at + 1)..],
            10 => target.Replace("%20", "+", StringComparison.Ordinal),
            11 => target + dice.Pick(["%00", "%", "%zz", "%C3", "%FF", "%c0%ae", "%25", "#x", "%0A", "%7F", ";a=b", "%20", "%E2%80%AE"]),
            12 => target[..^1] is { Length: > 0 } shorter ? shorter : "/",
            13 => target + dice.Pick([".gz", ".br", "x", "~"]),
            14 => target.Replace("%C3%BC", dice.Pick(["%c3%Bc", "%FC", "%C3", "u%CC%88", "%C3%9C"]), StringComparison.Ordinal),
            _ => target.Replace("%", "%25", StringComparison.Ordinal),
        };
    }
}

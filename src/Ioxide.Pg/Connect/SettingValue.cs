using System.Globalization;
using System.Text.Json;

namespace Ioxide.Pg;

/// <summary>The text of one option and its keyword. Errors name the keyword and what is allowed, never the text.</summary>
internal readonly struct SettingValue(string keyword, string text)
{
    internal string Text => text;

    /// <summary>The text, or null if it is empty: libpq treats an empty value as not set.</summary>
    internal string? TextOrNull => text.Length == 0 ? null : text;

    internal int Integer(int minimum = 0)
        => int.TryParse(text.AsSpan().Trim(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int value)
            && value >= minimum
            ? value
            : throw Invalid($"a number from {minimum}");

    internal TimeSpan Seconds() => Clock() ?? TimeSpan.FromSeconds(Integer());

    internal TimeSpan Milliseconds() => Clock() ?? TimeSpan.FromMilliseconds(Integer());

    internal bool Boolean() => text.Trim().ToUpperInvariant() switch
    {
        "TRUE" or "YES" or "ON" or "1" => true,
        "FALSE" or "NO" or "OFF" or "0" => false,
        _ => throw Invalid("true or false"),
    };

    /// <summary>The value whose name this is, whatever its case, hyphens and spaces.</summary>
    internal T OneOf<T>()
        where T : struct, Enum
    {
        foreach (T value in Enum.GetValues<T>())
        {
            if (value.ToString().Equals(OptionTable.Simplify(text), StringComparison.OrdinalIgnoreCase))
            {
                return value;
            }
        }

        string[] names = [.. Enum.GetNames<T>().Select(JsonNamingPolicy.KebabCaseLower.ConvertName)];
        throw Invalid($"{string.Join(", ", names[..^1])} or {names[^1]}");
    }

    internal PgSslMode SslMode() => OptionTable.Simplify(text) != "allow" ? OneOf<PgSslMode>() : throw new ArgumentException(
        $"{keyword} has no mode \"allow\" here: it encrypts only after a refusal. Use prefer or require.");

    internal bool LoadBalance() => OptionTable.Simplify(text) switch
    {
        "random" => true,
        "disable" => false,
        _ => Boolean(),
    };

    /// <summary>libpq's list: allowed names, or forbidden names with <c>!</c>.</summary>
    internal PgAuthentication Authentication()
    {
        const PgAuthentication All =
            PgAuthentication.None | PgAuthentication.Password | PgAuthentication.Md5 | PgAuthentication.ScramSha256
            | PgAuthentication.OAuth;
        string[] items = text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        int negated = items.Count(static item => item.StartsWith('!'));
        if (negated > 0 && negated < items.Length)
        {
            throw new ArgumentException($"{keyword} mixes ways that are allowed and ways that are forbidden (with !). Name one kind.");
        }

        PgAuthentication named = 0;
        foreach (string item in items)
        {
            named |= item.TrimStart('!').ToUpperInvariant() switch
            {
                "NONE" => PgAuthentication.None,
                "PASSWORD" => PgAuthentication.Password,
                "MD5" => PgAuthentication.Md5,
                "SCRAM-SHA-256" or "SCRAMSHA256" => PgAuthentication.ScramSha256,
                "OAUTH" => PgAuthentication.OAuth,
                "GSS" or "SSPI" => 0, // Never used here, so forbidding it is fulfilled.
                _ => throw Invalid("a list of password, md5, scram-sha-256, oauth and none, each perhaps with !"),
            };
        }

        PgAuthentication allowed = negated > 0 ? All & ~named : named;
        return allowed != 0 || items.Length == 0
            ? allowed
            : throw new ArgumentException($"{keyword} allows no way that is supported here: password, md5, scram-sha-256, oauth, none.");
    }

    /// <summary>Such a list; null for every way.</summary>
    internal static string? TextOf(PgAuthentication allowed) => allowed == PgAuthentication.Default ? null : string.Join(',', new[]
    {
        allowed.HasFlag(PgAuthentication.None) ? "none" : null,
        allowed.HasFlag(PgAuthentication.Password) ? "password" : null,
        allowed.HasFlag(PgAuthentication.Md5) ? "md5" : null,
        allowed.HasFlag(PgAuthentication.ScramSha256) ? "scram-sha-256" : null,
        allowed.HasFlag(PgAuthentication.OAuth) ? "oauth" : null,
    }.OfType<string>());

    /// <summary>An error that names what is allowed.</summary>
    internal ArgumentException Invalid(string allowed) => new($"The value of \"{keyword}\" is not {allowed}.");

    internal ArgumentException Refused(string why) => new($"\"{keyword}\" with this value is not supported: {why}");

    /// <summary>A time as configuration files write it, <c>00:00:05</c>, or null.</summary>
    private TimeSpan? Clock()
        => !text.Contains(':', StringComparison.Ordinal) ? null
            : TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan time) && time >= TimeSpan.Zero ? time
            : throw Invalid("a number from 0, or a time such as 00:00:05");
}

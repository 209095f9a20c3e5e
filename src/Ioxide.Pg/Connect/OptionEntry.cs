using System.Globalization;
using O = Ioxide.Pg.PgDataSourceOptions;

namespace Ioxide.Pg;

/// <summary>One option, or a keyword that only exists in connection strings.</summary>
/// <param name="Property">The property of <see cref="O"/>; null for a keyword that has none of its own.</param>
/// <param name="Keywords">Its keywords, separated by <c>|</c>. A connection string builder keeps the first one.</param>
/// <param name="Read">Checks a text and stores its value.</param>
/// <param name="Write">The value as text; null if it is not set. Null for a keyword that is never written.</param>
/// <param name="Variable">The environment variable that sets what is not set otherwise.</param>
/// <param name="Check">Refuses values that code can set and no text.</param>
/// <param name="IsSecret">Whether connection strings that are shown leave it out.</param>
internal sealed record OptionEntry(
    string? Property, string Keywords, Action<ConnectionSettings, SettingValue> Read, Func<O, string?>? Write = null, string? Variable = null,
    Action<O>? Check = null, bool IsSecret = false)
{
    internal string[] Names { get; } = Keywords.Split('|');

    /// <summary>A list, one item per host.</summary>
    internal static OptionEntry OfHosts(
        string keywords, Action<ConnectionSettings, string?> set, Func<PgHost, string?> get, string variable, bool isOneForAll = false)
        => new(nameof(O.Hosts), keywords, (s, v) => set(s, v.TextOrNull), options =>
        {
            string[] items = [.. options.Hosts.Select(host => get(host) ?? "")];
            return items.All(static item => item.Length == 0) ? null
                : isOneForAll && items.Distinct().Count() == 1 ? items[0] : string.Join(',', items);
        }, variable);

    internal static OptionEntry Text(string property, string keywords, Func<O, string?> get, Action<O, string?> set, string? variable = null)
        => new(property, keywords, (s, v) => set(s.Options, v.TextOrNull), get, variable);

    /// <summary>A text that is sent to the server. A zero byte would end it early on the wire, and begin a parameter that was never set.</summary>
    internal static OptionEntry SentText(string property, string keywords, Func<O, string?> get, Action<O, string?> set, string? variable = null)
        => Text(property, keywords, get, set, variable) with { Check = options => OptionsValidator.RefuseNul(get(options)) };

    internal static OptionEntry Flag(string? property, string keywords, Func<O, bool?> get, Action<O, bool> set)
        => Value(property, keywords, static v => v.Boolean(), Format, get, set);

    /// <param name="property">The property.</param>
    /// <param name="keywords">Its keywords.</param>
    /// <param name="least">The least value. A limit in bytes is checked with the other options, so that the message names the option.</param>
    /// <param name="get">Reads the property.</param>
    /// <param name="set">Sets the property.</param>
    internal static OptionEntry Count(string property, string keywords, int least, Func<O, int?> get, Action<O, int> set)
        => Value(property, keywords, v => v.Integer(Math.Min(least, 1)), Format, get, set, check: value =>
        {
            if (value < least)
            {
                throw new ArgumentException($"{property} is {value}; the least is {least}.");
            }
        });

    internal static OptionEntry Seconds(string property, string keywords, Func<O, TimeSpan?> get, Action<O, TimeSpan> set, string? variable = null)
        => Time(property, keywords, static v => v.Seconds(), TimeSpan.FromSeconds(1), get, set, variable);

    internal static OptionEntry Milliseconds(string property, string keywords, Func<O, TimeSpan?> get, Action<O, TimeSpan> set)
        => Time(property, keywords, static v => v.Milliseconds(), TimeSpan.FromMilliseconds(1), get, set);

    internal static OptionEntry Time(
        string property, string keywords, Func<SettingValue, TimeSpan> read, TimeSpan unit, Func<O, TimeSpan?> get, Action<O, TimeSpan> set,
        string? variable = null)
        => Time(property, keywords, read, time => Format((int)Math.Ceiling(time / unit)), get, set, variable);

    internal static OptionEntry Time(
        string property, string keywords, Func<SettingValue, TimeSpan> read, Func<TimeSpan, string> write, Func<O, TimeSpan?> get,
        Action<O, TimeSpan> set, string? variable = null)
        => Value(property, keywords, read, write, get, set, variable, time =>
        {
            if (time < TimeSpan.Zero || time > LongestTime)
            {
                throw new ArgumentException($"{property} is {time}; it must be from zero to 24 days. Zero is without limit.");
            }
        });

    internal static OptionEntry OneOf<T>(string property, string keywords, Func<O, T?> get, Action<O, T> set, string? variable = null)
        where T : struct, Enum
        => Value(property, keywords, static v => v.OneOf<T>(), static value => value.ToString(), get, set, variable);

    internal static OptionEntry Value<T>(
        string? property, string keywords, Func<SettingValue, T> read, Func<T, string?> write, Func<O, T?> get, Action<O, T> set,
        string? variable = null, Action<T>? check = null)
        where T : struct
        => new(
            property, keywords, (s, v) => set(s.Options, read(v)), options => get(options) is { } value ? write(value) : null, variable,
            options =>
            {
                if (get(options) is { } value)
                {
                    check?.Invoke(value);
                }
            });

    /// <summary>The end of the range of the kernel's and the timer wheel's milliseconds.</summary>
    internal static TimeSpan LongestTime { get; } = TimeSpan.FromMilliseconds(int.MaxValue);

    internal static string Format(bool value) => value ? "true" : "false";

    internal static string Format(int value) => value.ToString(CultureInfo.InvariantCulture);
}

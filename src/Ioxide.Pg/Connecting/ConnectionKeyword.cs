namespace Ioxide.Pg;

/// <summary>One keyword of a connection string: its spelling and the option that it sets.</summary>
/// <param name="name">The spelling.</param>
/// <param name="canonical">The synonym under which a connection string builder keeps it.</param>
/// <param name="set">Checks a value and stores it.</param>
internal sealed class ConnectionKeyword(string name, string canonical, Action<ConnectionSettings, SettingValue> set)
{
    internal string Name => name;

    internal string Canonical => canonical;

    internal void Set(ConnectionSettings settings, SettingValue value) => set(settings, value);
}

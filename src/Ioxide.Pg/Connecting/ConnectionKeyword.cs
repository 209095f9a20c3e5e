namespace Ioxide.Pg;

/// <summary>One keyword of a connection string: how it is written, and what it sets.</summary>
/// <param name="name">As it is written.</param>
/// <param name="canonical">The name among those that mean the same under which a builder of connection strings keeps it.</param>
/// <param name="set">Checks a value and takes it.</param>
internal sealed class ConnectionKeyword(string name, string canonical, Action<ConnectionSettings, SettingValue> set)
{
    internal string Name => name;

    internal string Canonical => canonical;

    internal void Set(ConnectionSettings settings, SettingValue value) => set(settings, value);
}

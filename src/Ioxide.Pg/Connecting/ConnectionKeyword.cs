namespace Ioxide.Pg;

/// <summary>One keyword of a connection string: how it is written, and what it sets.</summary>
internal sealed class ConnectionKeyword(string name, Action<ConnectionSettings, SettingValue> set)
{
    internal string Name => name;

    internal void Set(ConnectionSettings settings, SettingValue value) => set(settings, value);
}

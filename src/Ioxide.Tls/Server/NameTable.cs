namespace Ioxide.Tls;

/// <summary>
/// Values by server name: exact names first, then wildcards such as <c>*.example.org</c>, which stand for one label. International names
/// are found in either form.
/// </summary>
/// <remarks>Immutable. Threads: any.</remarks>
internal sealed class NameTable<T>
    where T : class
{
    private readonly Dictionary<string, T> _values = new(StringComparer.OrdinalIgnoreCase);

    internal NameTable(IEnumerable<KeyValuePair<string, T>> values)
    {
        foreach ((string name, T value) in values)
        {
            _values[ServerNames.ToWire(name)] = value;
        }
    }

    internal IEnumerable<T> Values => _values.Values;

    internal T? Find(string name)
    {
        name = ServerNames.ToWire(name);
        int dot = name.IndexOf('.', StringComparison.Ordinal);
        return _values.GetValueOrDefault(name) ?? (dot > 0 ? _values.GetValueOrDefault($"*{name[dot..]}") : null);
    }
}

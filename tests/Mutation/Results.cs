namespace Ioxide.Mutation;

/// <summary>What became of each fault, kept in a file: a run that was cut short continues where it was.</summary>
/// <remarks>One line per fault: its name, a tab, what noticed it; nothing behind the tab where it survived.</remarks>
internal sealed class Results
{
    private readonly string _path;
    private readonly string _soundPath;
    private readonly Dictionary<string, string> _noticedBy = new(StringComparer.Ordinal);
    private readonly HashSet<string> _sound = new(StringComparer.Ordinal);

    internal Results(string folder, bool isFresh)
    {
        _path = Path.Combine(folder, "results.tsv");
        _soundPath = Path.Combine(folder, "sound.txt");
        if (isFresh)
        {
            File.Delete(_path);
            File.Delete(_soundPath);
        }

        _sound.UnionWith(File.Exists(_soundPath) ? File.ReadLines(_soundPath) : []);
        foreach (string line in File.Exists(_path) ? File.ReadLines(_path) : [])
        {
            string[] parts = line.Split('\t');
            if (parts.Length == 2)
            {
                _noticedBy[parts[0]] = parts[1];
            }
        }
    }

    internal bool Has(Fault fault) => _noticedBy.ContainsKey(fault.Name);

    /// <summary>What noticed the fault; null where it survived, or was not tried.</summary>
    internal string? NoticedBy(Fault fault) => _noticedBy.GetValueOrDefault(fault.Name) is { Length: > 0 } test ? test : null;

    /// <summary>Whether the class passed without a fault, in the build that there is.</summary>
    internal bool IsSound(string testClass) => _sound.Contains(testClass);

    internal void AddSound(IEnumerable<string> testClasses)
    {
        _sound.UnionWith(testClasses);
        File.WriteAllLines(_soundPath, _sound);
    }

    /// <summary>The build has changed.</summary>
    internal void ForgetSound() => _sound.Clear();

    internal void Add(Fault fault, string? noticedBy)
    {
        string said = (noticedBy ?? "").ReplaceLineEndings(" ").Replace('\t', ' ');
        lock (_noticedBy)
        {
            _noticedBy[fault.Name] = said;
            File.AppendAllText(_path, $"{fault.Name}\t{said}\n");
        }
    }
}

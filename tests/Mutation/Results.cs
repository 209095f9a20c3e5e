using System.Globalization;

namespace Ioxide.Mutation;

/// <summary>What became of each fault, kept in a file: a run that was cut short continues where it was.</summary>
/// <remarks>
/// One line per fault: its name, its key, what noticed it; nothing behind the last tab where it survived. A fault with another key is another one.
/// </remarks>
internal sealed class Results
{
    private readonly string _path;
    private readonly string _soundPath;
    private readonly Dictionary<string, string> _noticedBy = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _soundSeconds = new(StringComparer.Ordinal);

    internal Results(string folder, bool isFresh)
    {
        _path = Path.Combine(folder, "results.tsv");
        _soundPath = Path.Combine(folder, "sound.tsv");
        if (isFresh)
        {
            File.Delete(_path);
            File.Delete(_soundPath);
        }

        foreach (string[] parts in Read(_soundPath, columns: 2))
        {
            if (int.TryParse(parts[1], CultureInfo.InvariantCulture, out int seconds))
            {
                _soundSeconds[parts[0]] = seconds;
            }
        }

        foreach (string[] parts in Read(_path, columns: 3))
        {
            _noticedBy[$"{parts[0]}\t{parts[1]}"] = parts[2];
        }
    }

    internal bool Has(Fault fault) => _noticedBy.ContainsKey(KeyOf(fault));

    /// <summary>What noticed the fault; null where it survived, or was not tried.</summary>
    internal string? NoticedBy(Fault fault) => _noticedBy.GetValueOrDefault(KeyOf(fault)) is { Length: > 0 } test ? test : null;

    /// <summary>How long the class took to pass without a fault, in the build that there is; null where it did not run.</summary>
    internal int? SoundSeconds(string testClass) => _soundSeconds.TryGetValue(testClass, out int seconds) ? seconds : null;

    internal void AddSound(string testClass, int seconds)
    {
        lock (_soundSeconds)
        {
            _soundSeconds[testClass] = seconds;
            File.AppendAllText(_soundPath, string.Create(CultureInfo.InvariantCulture, $"{testClass}\t{seconds}\n"));
        }
    }

    /// <summary>The build is about to change.</summary>
    internal void ForgetSound()
    {
        File.Delete(_soundPath);
        _soundSeconds.Clear();
    }

    internal void Add(Fault fault, string? noticedBy)
    {
        string said = (noticedBy ?? "").ReplaceLineEndings(" ").Replace('\t', ' ');
        lock (_noticedBy)
        {
            _noticedBy[KeyOf(fault)] = said;
            File.AppendAllText(_path, $"{KeyOf(fault)}\t{said}\n");
        }
    }

    private static string KeyOf(Fault fault) => $"{fault.Name}\t{fault.Key}";

    /// <summary>A line that was cut short has another count of columns, and is left out.</summary>
    private static IEnumerable<string[]> Read(string path, int columns)
        => (File.Exists(path) ? File.ReadLines(path) : []).Select(static line => line.Split('\t')).Where(parts => parts.Length == columns);
}

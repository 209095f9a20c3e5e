using System.Globalization;

namespace Ioxide.Compare;

/// <summary>CPUs as taskset writes them: <c>0</c>, <c>0,2</c>, <c>0-3</c>.</summary>
internal sealed class CpuList
{
    private readonly string _text;

    private CpuList(string text, IReadOnlySet<int> cpus)
    {
        _text = text;
        Cpus = cpus;
    }

    internal IReadOnlySet<int> Cpus { get; }

    /// <exception cref="ArgumentException">The text is no list of CPUs.</exception>
    internal static CpuList Parse(string text)
    {
        var cpus = new HashSet<int>();
        foreach (string part in text.Split(','))
        {
            string[] ends = part.Split('-');
            if (ends.Length > 2
                || !int.TryParse(ends[0], NumberStyles.None, CultureInfo.InvariantCulture, out int first)
                || !int.TryParse(ends[^1], NumberStyles.None, CultureInfo.InvariantCulture, out int last))
            {
                throw new ArgumentException($"'{text}' is no list of CPUs.");
            }

            for (int cpu = first; cpu <= last; cpu++)
            {
                cpus.Add(cpu);
            }
        }

        return new CpuList(text, cpus);
    }

    public override string ToString() => _text;
}

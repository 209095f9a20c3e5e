using System.Text;

namespace Ioxide.Soak;

/// <summary>Every sample, in memory and, as it comes, in a file.</summary>
internal sealed class SampleLog : IDisposable
{
    private readonly Lock _lock = new();
    private readonly List<Sample> _samples = [];
    private readonly StreamWriter _file;

    internal SampleLog(string path)
    {
        _file = new StreamWriter(path, append: false, Encoding.ASCII) { NewLine = "\n" };
        _file.WriteLine(Sample.CsvHead);
    }

    internal void Add(Sample sample)
    {
        lock (_lock)
        {
            _samples.Add(sample);
            _file.WriteLine(sample.ToCsv());
            _file.Flush();
        }
    }

    internal IReadOnlyList<Sample> All()
    {
        lock (_lock)
        {
            return [.. _samples];
        }
    }

    public void Dispose() => _file.Dispose();
}

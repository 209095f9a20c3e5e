using BenchmarkDotNet.Attributes;

namespace Ioxide.Benchmarks;

/// <summary>A deadline is added and cancelled, as each request with a timeout does, beside others that stay.</summary>
public class TimerBenchmarks
{
    private const long Start = 1_000_000;

    private readonly NoTimer _timer = new();
    private TimerWheel _wheel = new(Start);

    /// <summary>Deadlines that are in the wheel already.</summary>
    [Params(0, 10_000)]
    public int Others { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        _wheel = new TimerWheel(Start);
        for (int other = 0; other < Others; other++)
        {
            _wheel.Add(new NoTimer(), Start + 1 + (other * 37 % 120_000));
        }
    }

    [Benchmark]
    public void AddAndCancel()
    {
        _wheel.Add(_timer, Start + 30_000);
        _wheel.Remove(_timer);
    }

    private sealed class NoTimer : TimerEntry
    {
        internal override void OnDue()
        {
        }
    }
}

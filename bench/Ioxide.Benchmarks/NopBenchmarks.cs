using BenchmarkDotNet.Attributes;

namespace Ioxide.Benchmarks;

/// <summary>One turn of a ring: no-ops are submitted and their completions taken. The seam to the kernel costs one virtual call.</summary>
public class NopBenchmarks : IDisposable
{
    private Ring _ring = null!; // Set before a benchmark runs.
    private RingTurns _turns = null!; // Set before a benchmark runs.

    /// <summary>No-ops a turn.</summary>
    [Params(1, 16)]
    public int Batch { get; set; } = 1;

    /// <summary>Makes the ring on the thread that uses it.</summary>
    [GlobalSetup]
    public void Start()
    {
        _ring = Ring.Create(new RingOptions(SqEntries: 64, CqEntries: 128));
        _ring.Enable();
        _turns = new RingTurns(_ring, (uint)Batch);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        _ring.Dispose();
        GC.SuppressFinalize(this);
    }

    [Benchmark(Baseline = true)]
    public void ThroughKernel() => _turns.ThroughKernel();

    [Benchmark]
    public void StraightToSys() => _turns.Straight();
}

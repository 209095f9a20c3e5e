namespace Ioxide.TestKit;

/// <summary>How often each fault was injected. Threads: any.</summary>
internal sealed class FaultCounts
{
    private readonly long[] _counts = new long[FaultRates.FaultCount];

    internal long this[Fault fault] => Volatile.Read(ref _counts[(int)fault]);

    internal long Total => _counts.Sum();

    internal void Add(Fault fault) => Interlocked.Increment(ref _counts[(int)fault]);

    /// <summary>Each fault with its count, the rarest first.</summary>
    public override string ToString()
    {
        IEnumerable<Fault> rarestFirst = Enum.GetValues<Fault>().OrderBy(fault => this[fault]);
        return string.Join(", ", rarestFirst.Select(fault => $"{fault} {this[fault]}"));
    }
}

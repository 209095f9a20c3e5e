namespace Ioxide.TestKit;

/// <summary>Linux with a count of open descriptors that the test sets, below a limit of 1,000 or another one.</summary>
internal sealed unsafe class LimitedKernel : Kernel
{
    /// <summary>So few are left that connections come one by one, and there is room for one more.</summary>
    internal const int NearTheLimit = 900;

    internal const int AtTheLimit = 1000;

    private int _openCount = NearTheLimit;

    internal ulong Limit { get; init; } = 1000;

    internal int OpenCount
    {
        set => Volatile.Write(ref _openCount, value);
    }

    internal override int CountDescriptors() => Volatile.Read(ref _openCount);

    internal override int GetResourceLimit(int resource, ResourceLimit* limit)
    {
        int result = base.GetResourceLimit(resource, limit);
        limit->Current = Limit;
        return result;
    }
}

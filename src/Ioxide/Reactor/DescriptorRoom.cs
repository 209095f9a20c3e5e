namespace Ioxide;

/// <summary>What the limit of open files leaves room for.</summary>
/// <param name="Limit">RLIMIT_NOFILE.</param>
/// <param name="Open">Descriptors that are open now.</param>
/// <param name="Wanted">Reactors that the options ask for.</param>
/// <param name="Fitting">Reactors that fit, at least one and at most <paramref name="Wanted"/>.</param>
internal readonly record struct DescriptorRoom(int Limit, int Open, int Wanted, int Fitting)
{
    /// <summary>Descriptors that can still be opened.</summary>
    internal int Left => Math.Max(0, Limit - Open);
}

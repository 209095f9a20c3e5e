namespace Ioxide.TestKit;

/// <summary>See the makers of <see cref="ProxyFault"/>.</summary>
internal enum ProxyFaultKind
{
    Cut,
    Reset,
    HalfClose,
    Drop,
    Stall,
    Delay,
    Slice,
    Replace,
    Insert,
}

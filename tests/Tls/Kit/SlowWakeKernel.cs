namespace Ioxide.Tls.Tests;

/// <summary>Linux, but a chosen thread does something else before it wakes a reactor, once.</summary>
internal sealed unsafe class SlowWakeKernel : Kernel
{
    [ThreadStatic]
    private static Action? s_before;

    /// <summary>What the calling thread does before its next wake-up; null for nothing.</summary>
    internal static void BeforeNextWake(Action? action) => s_before = action;

    internal override int Write(int fd, void* buffer, nuint length)
    {
        Action? before = s_before;
        s_before = null;
        before?.Invoke();
        return base.Write(fd, buffer, length);
    }
}

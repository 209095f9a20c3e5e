namespace Ioxide;

/// <summary>Checks whether rings can be created and used in this process, and if not, why.</summary>
public static class RingProbe
{
    /// <summary>
    /// Creates a small ring, uses it as a reactor does and closes it again. This tries every call that reactors require. Takes
    /// well under a millisecond on success.
    /// </summary>
    /// <remarks>Threads: any. The answer may change with limits and memory; call this when it matters.</remarks>
    public static RingSupport Check() => Explain()?.Support ?? RingSupport.Supported;

    /// <summary>The exception that starting a reactor would throw, or null if one can be started.</summary>
    public static RingUnavailableException? Explain()
    {
        try
        {
            TryOut(Kernel.Linux);
            return null;
        }
        catch (RingUnavailableException exception)
        {
            return exception;
        }
    }

    private static void TryOut(Kernel kernel)
    {
        const uint Entries = 8;
        const int BufferBytes = 64;
        using Ring ring = Ring.Create(new RingOptions(Entries, Entries * 2), kernel);
        _ = kernel.Close(Ring.Check(kernel.EventDescriptor(), "eventfd2"));
        try
        {
            ring.Enable();
            ring.TryOut();
            using var buffers = new BufferRing(ring, group: 0, BufferBytes, initialCount: 1, maxCount: 1);
        }
        finally
        {
            ring.ReleaseThread();
        }
    }
}

namespace Ioxide;

/// <summary>Says whether rings can be made in this process, and if not, why.</summary>
public static class RingProbe
{
    /// <summary>Makes a small ring and closes it again. Takes well under a millisecond where it works.</summary>
    /// <remarks>Threads: any. The answer may change with limits and memory; ask when it matters.</remarks>
    public static RingSupport Check() => Explain()?.Support ?? RingSupport.Supported;

    /// <summary>The exception that making a ring would throw, or null where one can be made.</summary>
    public static RingUnavailableException? Explain()
    {
        const uint Entries = 8;
        try
        {
            using Ring ring = Ring.Create(new RingOptions(Entries, Entries * 2));
            return null;
        }
        catch (RingUnavailableException exception)
        {
            return exception;
        }
    }
}

namespace Ioxide;

/// <summary>Stands for <see cref="System.Threading.Volatile"/> in the runtime's sources: a name of their own namespace comes first.</summary>
/// <remarks>
/// On a thread with a <see cref="StoreBuffer"/> a write is held back, as a release store may be on a weak machine, and a read may come late. Other
/// threads pass through.
/// </remarks>
internal static class Volatile
{
    internal static bool Read(ref readonly bool location)
        => StoreBuffer.Here is { } here && here.TryForward(in location, out bool own) ? own : System.Threading.Volatile.Read(in location);

    internal static ushort Read(ref readonly ushort location)
        => StoreBuffer.Here is { } here && here.TryForward(in location, out ushort own) ? own : System.Threading.Volatile.Read(in location);

    internal static int Read(ref readonly int location)
        => StoreBuffer.Here is { } here && here.TryForward(in location, out int own) ? own : System.Threading.Volatile.Read(in location);

    internal static uint Read(ref readonly uint location)
        => StoreBuffer.Here is { } here && here.TryForward(in location, out uint own) ? own : System.Threading.Volatile.Read(in location);

    internal static long Read(ref readonly long location)
        => StoreBuffer.Here is { } here && here.TryForward(in location, out long own) ? own : System.Threading.Volatile.Read(in location);

    internal static T Read<T>(ref readonly T location)
        where T : class?
        => StoreBuffer.Here is { } here && here.TryForwardReference(in location, out T? own) ? own! : System.Threading.Volatile.Read(in location);

    internal static void Write(ref bool location, bool value)
    {
        if (StoreBuffer.Here is { } here)
        {
            here.Hold(ref location, value);
            return;
        }

        System.Threading.Volatile.Write(ref location, value);
    }

    internal static void Write(ref ushort location, ushort value)
    {
        if (StoreBuffer.Here is { } here)
        {
            here.Hold(ref location, value);
            return;
        }

        System.Threading.Volatile.Write(ref location, value);
    }

    internal static void Write(ref int location, int value)
    {
        if (StoreBuffer.Here is { } here)
        {
            here.Hold(ref location, value);
            return;
        }

        System.Threading.Volatile.Write(ref location, value);
    }

    internal static void Write(ref uint location, uint value)
    {
        if (StoreBuffer.Here is { } here)
        {
            here.Hold(ref location, value);
            return;
        }

        System.Threading.Volatile.Write(ref location, value);
    }

    internal static void Write(ref long location, long value)
    {
        if (StoreBuffer.Here is { } here)
        {
            here.Hold(ref location, value);
            return;
        }

        System.Threading.Volatile.Write(ref location, value);
    }

    internal static void Write<T>(ref T location, T value)
        where T : class?
    {
        if (StoreBuffer.Here is { } here)
        {
            here.HoldReference(ref location, value);
            return;
        }

        System.Threading.Volatile.Write(ref location, value);
    }

    internal static void WriteBarrier()
    {
        StoreBuffer.Here?.Drain();
        System.Threading.Volatile.WriteBarrier();
    }

    internal static void ReadBarrier()
    {
        StoreBuffer.Here?.Pause();
        System.Threading.Volatile.ReadBarrier();
    }
}

[assembly: DisableRuntimeMarshalling]

namespace Ioxide;

/// <summary>The one door to the kernel: nothing else calls libc.</summary>
/// <remarks>
/// Each system call is declared once. Calls that tests simulate are methods of <see cref="Kernel"/>; calls for files, pipes and the
/// process are here. Each returns a value of 0 or above, or <c>-errno</c>.
/// </remarks>
internal static unsafe partial class Sys
{
    internal const int ProtectRead = 1;
    internal const int ProtectWrite = 2;
    internal const int MapShared = 1;
    internal const int MapPrivate = 2;
    internal const int MapAnonymous = 0x20;
    internal const int MapPopulate = 0x8000;
    internal const int AdviseCollapse = 25;
    internal const int ResourceMemoryLock = 8;
    internal const int ResourceOpenFiles = 7;

    /// <summary>Makes a system call and returns its result, or <c>-errno</c>.</summary>
    internal static int Call(CallNumber number, nint a = 0, nint b = 0, nint c = 0, nint d = 0, nint e = 0, nint f = 0)
    {
        nint returned = Native(number.Value, a, b, c, d, e, f);
        return returned >= 0 ? (int)returned : -Marshal.GetLastPInvokeError();
    }

    /// <summary>As <see cref="Call"/>, but calls again when a signal interrupts it (EINTR).</summary>
    internal static int CallUninterrupted(CallNumber number, nint a = 0, nint b = 0, nint c = 0, nint d = 0, nint e = 0, nint f = 0)
    {
        int result;
        do
        {
            result = Call(number, a, b, c, d, e, f);
        }
        while (result == -Errno.EINTR);
        return result;
    }

    /// <summary>Makes a system call that returns an address; null and <paramref name="error"/> (positive errno) if refused.</summary>
    internal static void* CallForAddress(CallNumber number, nint a, nint b, nint c, nint d, nint e, nint f, out int error)
    {
        nint returned = Native(number.Value, a, b, c, d, e, f);
        error = returned == -1 ? Marshal.GetLastPInvokeError() : 0;
        return returned == -1 ? null : (void*)returned;
    }

    /// <summary>Binds the calling thread to one processor. Source: sched_setaffinity(2).</summary>
    internal static int PinThread(int processor)
    {
        const int MaxProcessors = 1024;
        if ((uint)processor >= MaxProcessors)
        {
            return -Errno.EINVAL;
        }

        ulong* mask = stackalloc ulong[MaxProcessors / 64];
        new Span<ulong>(mask, MaxProcessors / 64).Clear();
        mask[processor / 64] = 1UL << (processor % 64);
        return Call(CallNumber.SetAffinity, 0, MaxProcessors / 8, (nint)mask);
    }

    /// <summary>The processors that the calling thread may run on, in ascending order; empty if the kernel does not report them.</summary>
    internal static int[] AllowedProcessors()
    {
        const int MaxProcessors = 1024;
        ulong* mask = stackalloc ulong[MaxProcessors / 64];
        new Span<ulong>(mask, MaxProcessors / 64).Clear();
        if (Call(CallNumber.GetAffinity, 0, MaxProcessors / 8, (nint)mask) < 0)
        {
            return [];
        }

        var allowed = new List<int>();
        for (int processor = 0; processor < MaxProcessors; processor++)
        {
            if ((mask[processor / 64] & (1UL << (processor % 64))) != 0)
            {
                allowed.Add(processor);
            }
        }

        return [.. allowed];
    }

    /// <summary>The kernel's release, such as <c>6.18.44</c>, or empty. Source: uname(2).</summary>
    internal static string KernelRelease()
    {
        // struct utsname: six names of 65 bytes, the third of which is the release.
        const int NameBytes = 65;
        const int ReleaseIndex = 2;
        byte* names = stackalloc byte[NameBytes * 6];
        return Call(CallNumber.Names, (nint)names) < 0 ? "" : Marshal.PtrToStringUTF8((nint)(names + (NameBytes * ReleaseIndex))) ?? "";
    }

    /// <summary>Source: geteuid(2), which cannot fail.</summary>
    internal static uint EffectiveUserId() => (uint)Native(CallNumber.EffectiveUserId.Value, 0, 0, 0, 0, 0, 0);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Native(nint number, nint a, nint b, nint c, nint d, nint e, nint f);
}

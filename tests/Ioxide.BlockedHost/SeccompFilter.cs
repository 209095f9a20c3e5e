using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Ioxide.BlockedHost;

/// <summary>Refuses rings to this process as a container's profile does, for good and in every thread.</summary>
/// <remarks>
/// A classic BPF program over <c>struct seccomp_data</c> (system call number at 0, architecture at 4). TSYNC gives it
/// to the threads that the runtime has already started. Source: seccomp(2), Linux 3.17.
/// </remarks>
internal static unsafe partial class SeccompFilter
{
    private const int PrSetNoNewPrivs = 38;
    private const int SetModeFilter = 1;
    private const int FlagTsync = 1;
    private const uint SetupCall = 425;
    private const uint ReturnAllow = 0x7fff_0000;
    private const uint ReturnErrno = 0x0005_0000;
    private const ushort LoadWord = 0x20;
    private const ushort JumpIfEqual = 0x15;
    private const ushort Return = 0x06;

    private static (uint Architecture, int SeccompCall) Machine => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => (0xc000_003e, 317),
        Architecture.Arm64 => (0xc000_00b7, 277),
        _ => throw new PlatformNotSupportedException(),
    };

    /// <summary>Makes io_uring_setup fail with <paramref name="errno"/>.</summary>
    /// <exception cref="Win32Exception">The kernel did not take the filter.</exception>
    internal static void DenyRings(int errno)
    {
        Instruction* instructions = stackalloc Instruction[]
        {
            new(LoadWord, 0, 0, 4),
            new(JumpIfEqual, 0, 3, Machine.Architecture),
            new(LoadWord, 0, 0, 0),
            new(JumpIfEqual, 0, 1, SetupCall),
            new(Return, 0, 0, ReturnErrno | (uint)errno),
            new(Return, 0, 0, ReturnAllow),
        };
        FilterProgram program = new() { Length = 6, Instructions = instructions };
        ThrowUnlessZero(Prctl(PrSetNoNewPrivs, 1, 0, 0, 0));
        ThrowUnlessZero(Syscall(Machine.SeccompCall, SetModeFilter, FlagTsync, &program));
    }

    private static void ThrowUnlessZero(nint returned)
    {
        if (returned != 0)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
    }

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Prctl(int option, nint argument2, nint argument3, nint argument4, nint argument5);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Syscall(nint number, nint operation, nint flags, FilterProgram* program);

    /// <summary><c>struct sock_filter</c>: a failed jump skips JumpFalse instructions, a taken one JumpTrue.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Instruction(ushort code, byte jumpTrue, byte jumpFalse, uint operand)
    {
        private readonly ushort _code = code;
        private readonly byte _jumpTrue = jumpTrue;
        private readonly byte _jumpFalse = jumpFalse;
        private readonly uint _operand = operand;
    }

    /// <summary><c>struct sock_fprog</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct FilterProgram
    {
        internal ushort Length;
        internal Instruction* Instructions;
    }
}

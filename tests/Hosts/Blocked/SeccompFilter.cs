using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Ioxide.BlockedHost;

/// <summary>Refuses system calls to this process as a container's profile does, for good and in every thread.</summary>
/// <remarks>
/// A classic BPF program over <c>struct seccomp_data</c> (system call number at 0, architecture at 4, arguments of 8 bytes from 16 on).
/// TSYNC gives it to the threads that the runtime has already started. Source: seccomp(2), Linux 3.17.
/// </remarks>
internal static unsafe partial class SeccompFilter
{
    private const int PrSetNoNewPrivs = 38;
    private const int SetModeFilter = 1;
    private const int FlagTsync = 1;
    private const uint ReturnAllow = 0x7fff_0000;
    private const uint ReturnErrno = 0x0005_0000;
    private const ushort LoadWord = 0x20;
    private const ushort JumpIfEqual = 0x15;
    private const ushort JumpIfAtLeast = 0x35;
    private const ushort And = 0x54;
    private const ushort Return = 0x06;
    private const uint NumberOffset = 0;
    private const uint ArchitectureOffset = 4;
    private const uint ArgumentsOffset = 16;
    private const uint ArgumentBytes = 8;

    private static (uint Architecture, int SeccompCall) Machine => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => (0xc000_003e, 317),
        Architecture.Arm64 => (0xc000_00b7, 277),
        _ => throw new PlatformNotSupportedException(),
    };

    /// <summary>Makes each of the calls fail with <paramref name="errno"/>.</summary>
    /// <exception cref="Win32Exception">The kernel did not take the filter.</exception>
    internal static void Refuse(IReadOnlyCollection<RefusedCall> calls, int errno)
    {
        List<Instruction> instructions = [new(LoadWord, 0, 0, ArchitectureOffset), new(JumpIfEqual, 1, 0, Machine.Architecture)];
        Instruction allow = new(Return, 0, 0, ReturnAllow);
        Instruction refuse = Errno((uint)errno);
        instructions.Add(allow);
        foreach (RefusedCall call in calls)
        {
            instructions.Add(new(LoadWord, 0, 0, NumberOffset));
            byte rest = (byte)((call.Arguments.Length * 2) + 1);
            instructions.Add(new(JumpIfEqual, 0, rest, call.Number));
            foreach ((int index, uint value) in call.Arguments)
            {
                // The low half of an argument, on machines that keep it first.
                instructions.Add(new(LoadWord, 0, 0, ArgumentsOffset + ((uint)index * ArgumentBytes)));
                rest -= 2;
                instructions.Add(new(JumpIfEqual, 0, rest, value));
            }

            instructions.Add(refuse);
        }

        instructions.Add(allow);
        Install(instructions);
    }

    /// <summary>Makes every call fail with an error, but for those with a rule; those of another architecture fail with EPERM.</summary>
    /// <exception cref="Win32Exception">The kernel did not take the filter.</exception>
    internal static void AllowOnly(IReadOnlyList<CallRule> rules, uint otherwise)
    {
        const uint Forbidden = 1;
        List<Instruction> instructions =
        [
            new(LoadWord, 0, 0, ArchitectureOffset), new(JumpIfEqual, 1, 0, Machine.Architecture), Errno(Forbidden), new(LoadWord, 0, 0, NumberOffset),
        ];
        foreach (CallRule rule in rules)
        {
            Instruction outcome = rule.Errno == 0 ? new(Return, 0, 0, ReturnAllow) : Errno(rule.Errno);
            if (rule.Condition is not { } condition)
            {
                instructions.AddRange([new(JumpIfEqual, 0, 1, rule.Number), outcome]);
                continue;
            }

            Instruction compare = condition.IsBelow
                ? new(JumpIfAtLeast, 1, 0, condition.Value)
                : new(JumpIfEqual, 0, 1, condition.Value);
            instructions.AddRange(
            [
                new(JumpIfEqual, 0, 5, rule.Number), new(LoadWord, 0, 0, ArgumentsOffset + ((uint)condition.Index * ArgumentBytes)),
                new(And, 0, 0, condition.Mask), compare, outcome, new(LoadWord, 0, 0, NumberOffset),
            ]);
        }

        instructions.Add(Errno(otherwise));
        Install(instructions);
    }

    private static Instruction Errno(uint number) => new(Return, 0, 0, ReturnErrno | number);

    private static void Install(List<Instruction> instructions)
    {
        ThrowUnlessZero(Prctl(PrSetNoNewPrivs, 1, 0, 0, 0));
        fixed (Instruction* first = instructions.ToArray())
        {
            FilterProgram program = new() { Length = (ushort)instructions.Count, Instructions = first };
            ThrowUnlessZero(Syscall(Machine.SeccompCall, SetModeFilter, FlagTsync, &program));
        }
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

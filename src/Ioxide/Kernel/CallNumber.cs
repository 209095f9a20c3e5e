namespace Ioxide;

/// <summary>The number of a system call: x86-64 has its own, every later 64-bit architecture shares one table.</summary>
/// <param name="OnX64">Source: asm/unistd_64.h.</param>
/// <param name="Elsewhere">Source: asm-generic/unistd.h (arm64, riscv64, loongarch64).</param>
internal readonly record struct CallNumber(int OnX64, int Elsewhere)
{
    internal static readonly bool IsX64 = RuntimeInformation.ProcessArchitecture == Architecture.X64;

    internal static readonly CallNumber RingSetup = new(425, 425);
    internal static readonly CallNumber RingEnter = new(426, 426);
    internal static readonly CallNumber RingRegister = new(427, 427);

    internal static readonly CallNumber Map = new(9, 222);
    internal static readonly CallNumber Unmap = new(11, 215);
    internal static readonly CallNumber Protect = new(10, 226);
    internal static readonly CallNumber Advise = new(28, 233);

    internal static readonly CallNumber Close = new(3, 57);
    internal static readonly CallNumber Write = new(1, 64);
    internal static readonly CallNumber Control = new(16, 29);
    internal static readonly CallNumber FileControl = new(72, 25);
    internal static readonly CallNumber EventDescriptor = new(290, 19);

    internal static readonly CallNumber Socket = new(41, 198);
    internal static readonly CallNumber Bind = new(49, 200);
    internal static readonly CallNumber Listen = new(50, 201);
    internal static readonly CallNumber Accept = new(288, 242);
    internal static readonly CallNumber Shutdown = new(48, 210);
    internal static readonly CallNumber SetSocketOption = new(54, 208);
    internal static readonly CallNumber GetSocketOption = new(55, 209);
    internal static readonly CallNumber GetSocketName = new(51, 204);
    internal static readonly CallNumber GetPeerName = new(52, 205);
    internal static readonly CallNumber Send = new(44, 206);
    internal static readonly CallNumber SendMessage = new(46, 211);
    internal static readonly CallNumber Receive = new(45, 207);
    internal static readonly CallNumber Connect = new(42, 203);

    internal static readonly CallNumber EpollCreate = new(291, 20);
    internal static readonly CallNumber EpollControl = new(233, 21);
    internal static readonly CallNumber EpollWait = new(281, 22);
    internal static readonly CallNumber EpollWaitPrecisely = new(441, 441);
    internal static readonly CallNumber Poll = new(271, 73);
    internal static readonly CallNumber Read = new(0, 63);
    internal static readonly CallNumber ReadAt = new(17, 67);
    internal static readonly CallNumber ReadVectors = new(327, 286);

    internal static readonly CallNumber Pipe = new(293, 59);
    internal static readonly CallNumber SplicePages = new(278, 75);
    internal static readonly CallNumber Splice = new(275, 76);

    internal static readonly CallNumber Open = new(437, 437);
    internal static readonly CallNumber OpenAt = new(257, 56);
    internal static readonly CallNumber ReadLink = new(267, 78);
    internal static readonly CallNumber ReadFolder = new(217, 61);
    internal static readonly CallNumber Status = new(332, 291);
    internal static readonly CallNumber PlainStatus = new(5, 80);
    internal static readonly CallNumber FileSystem = new(138, 44);
    internal static readonly CallNumber NotifyQueue = new(294, 26);
    internal static readonly CallNumber NotifyAdd = new(254, 27);
    internal static readonly CallNumber NotifyRemove = new(255, 28);

    internal static readonly CallNumber SetAffinity = new(203, 122);
    internal static readonly CallNumber GetAffinity = new(204, 123);
    internal static readonly CallNumber ResourceLimit = new(302, 261);
    internal static readonly CallNumber Names = new(63, 160);
    internal static readonly CallNumber EffectiveUserId = new(107, 175);

    /// <summary>The number on the architecture of this process.</summary>
    internal int Value => IsX64 ? OnX64 : Elsewhere;
}

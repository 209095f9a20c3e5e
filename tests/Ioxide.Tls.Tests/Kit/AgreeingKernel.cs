namespace Ioxide.Tls.Tests;

/// <summary>Linux, but it agrees to encrypt and does not: what a session gives to the kernel arrives in clear text.</summary>
internal sealed unsafe class AgreeingKernel : Kernel
{
    internal override int SetSocketOption(int fd, int level, int option, void* value, uint length)
        => level == SocketConstants.LevelTls || (level == SocketConstants.LevelTcp && option == SocketConstants.OptionUpperLayer)
            ? 0
            : base.SetSocketOption(fd, level, option, value, length);
}

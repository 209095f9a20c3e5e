using System.Buffers.Binary;

namespace Ioxide.Tls.Tests;

/// <summary>Linux, but it agrees to encrypt and does not: what a session gives to the kernel arrives in clear text.</summary>
internal sealed unsafe class AgreeingKernel : Kernel
{
    private long _sequence = -1;

    /// <summary>Records that the session had made when it gave the kernel its key, as the key's message tells; -1 where it gave none.</summary>
    internal long Sequence => Volatile.Read(ref _sequence);

    /// <summary>What the reactor's sockets had taken by then, in bytes: the stream up to the first one that the kernel encrypts.</summary>
    internal long TakenBytes { get; private set; }

    internal override int SetSocketOption(int fd, int level, int option, void* value, uint length)
    {
        if (level == SocketConstants.LevelTls)
        {
            TakenBytes = Reactor.Current!.Counters.BytesSent;
            Volatile.Write(ref _sequence, (long)BinaryPrimitives.ReadUInt64BigEndian(new ReadOnlySpan<byte>(value, (int)length)[^8..]));
            return 0;
        }

        return level == SocketConstants.LevelTcp && option == SocketConstants.OptionUpperLayer
            ? 0
            : base.SetSocketOption(fd, level, option, value, length);
    }
}

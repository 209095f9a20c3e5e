namespace Ioxide;

/// <summary>Sends memory by its pages: nothing is copied, the socket's queue refers to the pages.</summary>
/// <remarks>
/// <para>vmsplice(2) puts references to pages into a pipe, splice(2) moves them to the socket. A page stays until the peer has
/// acknowledged its bytes, whatever happens to the mapping. Bytes written to it meanwhile are sent, so this is only for
/// memory that never changes.</para>
/// <para>Pages that the socket does not take are dropped, so that one pipe serves every connection of a reactor. Owner: the reactor.
/// Source: vmsplice(2), splice(2), F_SETPIPE_SZ in fcntl(2).</para>
/// </remarks>
internal sealed unsafe class PagePipe(int read, int write, int nowhere) : IDisposable
{
    /// <summary>The name that refusals use for the call that enlarges the pipe.</summary>
    internal const string SetSizeCall = "fcntl(F_SETPIPE_SZ)";

    /// <summary>The limit of an unprivileged process (/proc/sys/fs/pipe-max-size), one page reference for each 4 KiB.</summary>
    private const int WantedBytes = 1024 * 1024;

    // Less than that is not worth the calls.
    private const int LeastBytes = 64 * 1024;

    /// <summary>The kernel refused the pages: use another way.</summary>
    internal bool IsRefused { get; private set; }

    /// <summary>Creates a pipe, and tries each call that sending by pages needs with one byte.</summary>
    /// <param name="refusal">If there is no pipe: the call that failed, and its error number.</param>
    internal static PagePipe? TryOpen(out CallRefusal refusal)
    {
        int* ends = stackalloc int[2];
        refusal = new CallRefusal("pipe2", -Sys.Pipe(ends));
        if (refusal.ErrorNumber > 0)
        {
            return null;
        }

        int nowhere = OpenNowhere();
        var pipe = new PagePipe(ends[0], ends[1], nowhere);
        refusal = nowhere < 0 ? new CallRefusal("openat", -nowhere) : pipe.TryOut();
        if (refusal.ErrorNumber == 0)
        {
            return pipe;
        }

        pipe.Dispose();
        return null;
    }

    /// <summary>Sends as much as the socket takes at once.</summary>
    /// <param name="socket">Non-blocking.</param>
    /// <param name="memory">Never changes.</param>
    /// <param name="length">Bytes, above 0 and below 2 GiB.</param>
    /// <returns>Bytes that the socket took; or, if none, the socket's <c>-errno</c>, or 0 if <see cref="IsRefused"/>.</returns>
    internal int Send(int socket, byte* memory, nuint length)
    {
        Debug.Assert(length > 0);
        nuint sent = 0;
        while (sent < length)
        {
            var vector = new IoVector { Base = (ulong)(memory + sent), Length = length - sent };
            int held = Sys.SplicePages(write, &vector);
            if (held <= 0)
            {
                IsRefused = true;
                break;
            }

            while (held > 0)
            {
                int taken = Sys.Splice(read, socket, (nuint)held);
                if (taken <= 0)
                {
                    Drop(held);
                    if (taken is -Errno.EPERM or -Errno.EACCES or -Errno.ENOSYS or -Errno.EINVAL)
                    {
                        // This refusal comes from the host or from a kernel that does not move pages to such sockets, not from the socket.
                        IsRefused = true;
                        return (int)sent;
                    }

                    return sent > 0 ? (int)sent : taken < 0 ? taken : -Errno.EPIPE;
                }

                held -= taken;
                sent += (nuint)taken;
            }
        }

        return (int)sent;
    }

    public void Dispose()
    {
        foreach (int descriptor in new[] { read, write, nowhere })
        {
            if (descriptor >= 0)
            {
                _ = Kernel.Linux.Close(descriptor);
            }
        }
    }

    /// <summary>Empties the pipe: its rest belongs to one connection, and the next send may be another's.</summary>
    private void Drop(int held)
    {
        while (held > 0)
        {
            int dropped = Sys.Splice(read, nowhere, (nuint)held);
            if (dropped <= 0)
            {
                // Its content must not reach another connection.
                IsRefused = true;
                return;
            }

            held -= dropped;
        }
    }

    /// <summary>A host may allow one of the calls and refuse the next; an answer in progress must not be the first to find out.</summary>
    private CallRefusal TryOut()
    {
        const int NotASocket = 88;
        int size = Sys.SetPipeSize(write, WantedBytes);
        if (size < LeastBytes)
        {
            return new CallRefusal(SetSizeCall, size < 0 ? -size : Errno.ENOMEM);
        }

        byte single = 0;
        var vector = new IoVector { Base = (ulong)&single, Length = 1 };
        int held = Sys.SplicePages(write, &vector);
        if (held != 1)
        {
            return new CallRefusal("vmsplice", held < 0 ? -held : Errno.EINVAL);
        }

        int dropped = Sys.Splice(read, nowhere, 1);
        if (dropped != 1)
        {
            return new CallRefusal("splice", dropped < 0 ? -dropped : Errno.EINVAL);
        }

        // Bytes before the pages are also sent by a call; on a file it fails in a way that shows who answered.
        int sent = Kernel.Linux.Send(nowhere, &single, 1, SocketConstants.MessageDoNotWait);
        return sent == -NotASocket ? default : new CallRefusal("sendto", sent < 0 ? -sent : Errno.EINVAL);
    }

    private static int OpenNowhere()
    {
        fixed (byte* path = "/dev/null\0"u8)
        {
            return Sys.OpenAt(FileConstants.CurrentDirectory, path, FileConstants.OpenWriteOnly | FileConstants.OpenCloseOnExec);
        }
    }
}

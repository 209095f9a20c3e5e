namespace Ioxide;

/// <summary>Sends large immutable memory by its pages, through the reactor's own system calls instead of the ring's.</summary>
/// <remarks>
/// The ring can copy memory into a socket, or move a pipe into one on a worker thread. Neither is as cheap as two calls that do
/// not wait. When the socket is full, a poll of the ring reports room and counts as the send in flight; the kernel
/// references no memory of the queue meanwhile. Source: splice(2), vmsplice(2), io_uring_prep_poll_add(3).
/// </remarks>
internal sealed unsafe partial class Sender
{
    // The limit per connection and turn, so that a fast peer does not delay the others.
    private const int MaxPageBytesPerTurn = 1024 * 1024;

    private bool? _canSendPages;

    private bool IsForPages(MemoryBlock block)
        => block.IsImmutable && block.Length >= _connection.Options.MinPageBytes && !IsEncryptedByKernel
            && (_canSendPages ??= PreparePages());

    /// <summary>Only TCP is known to keep the pages. The calls must not wait, so the socket is non-blocking, which the ring allows.</summary>
    private bool PreparePages()
        => _connection.LocalEndPoint is IPEndPoint && _reactor.Memory.Pages is not null
            && _reactor.Kernel.SetNonBlocking(_connection.Descriptor, isNonBlocking: true) >= 0;

    /// <summary>Sends from the queue while its head, or what follows its head, goes by its pages.</summary>
    /// <returns>False if the ring must send the head of the queue.</returns>
    private bool TrySendPages()
    {
        Debug.Assert(_operation == Operation.Idle);
        int left = MaxPageBytesPerTurn;
        while (_queue.Head is { } block)
        {
            bool isPages = IsForPages(block);
            if (!isPages && (block.RecordType != 0 || block.Next is null || !IsForPages(block.Next)))
            {
                return false;
            }

            int wanted = Math.Min(block.Length, left);
            Debug.Assert(wanted > 0);
            int taken = isPages ? SendPages(block, wanted) : SendHead(block, wanted);
            if (isPages && _canSendPages == false)
            {
                return false;
            }

            if (taken < 0 && -taken is not (Errno.EAGAIN or Errno.ENOBUFS or Errno.ENOMEM))
            {
                _connection.Failed(-taken);
                return true;
            }

            if (-taken is Errno.ENOBUFS or Errno.ENOMEM)
            {
                // The socket may well have room; a poll would be over at once.
                Pause();
                return true;
            }

            TakeSentAtOnce(Math.Max(taken, 0));
            left -= Math.Max(taken, 0);
            if (taken < wanted || left == 0)
            {
                AwaitRoom();
                return true;
            }
        }

        return true;
    }

    private int SendPages(MemoryBlock block, int length)
    {
        if (_reactor.Memory.Pages is not { } pages)
        {
            _canSendPages = false;
            return 0;
        }

        int taken = _reactor.Kernel.SendPages(pages, _connection.Descriptor, block.Pointer + block.Start, (nuint)length);
        if (taken == 0)
        {
            _canSendPages = false;
        }

        _reactor.Counters.PageBytesSent += Math.Max(taken, 0);
        return taken;
    }

    /// <summary>Bytes before the pages are copied, and wait in the socket for them.</summary>
    private int SendHead(MemoryBlock block, int length)
        => _reactor.Kernel.Send(
            _connection.Descriptor,
            block.Pointer + block.Start,
            (nuint)length,
            SocketConstants.MessageDoNotWait | SocketConstants.MessageNoSignal | SocketConstants.MessageMore);

    /// <summary>
    /// Accounts for bytes that a direct call took. This runs at the end of a turn, where application code must not, so a waiting flush is
    /// resumed through the queue.
    /// </summary>
    private void TakeSentAtOnce(int bytes)
    {
        if (bytes > 0)
        {
            TakeSent(bytes);
            CountSent(bytes);
            _connection.Output.NotifyFlushLater();
        }
    }

    private void AwaitRoom()
    {
        if (_queue.Head is null)
        {
            return;
        }

        Sqe* entry = _reactor.Prepare(OperationKind.Send, _connection.SlotIndex);
        entry->Opcode = Opcode.PollAdd;
        entry->Descriptor = _connection.Descriptor;
        entry->OperationFlags = SocketConstants.PollOut;
        Begin(Operation.AwaitingRoom);
    }
}

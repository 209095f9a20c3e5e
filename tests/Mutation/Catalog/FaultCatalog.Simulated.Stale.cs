namespace Ioxide.Mutation;

/// <summary>Mistakes about whose turn it is, and about what is over already: cancels, connects, acceptors and lingers that come late.</summary>
internal static partial class FaultCatalog
{
    private static readonly Fault[] s_stale =
    [
        Runtime("a connect that was cancelled hands its connection out",
            ("ConnectOperation.Finish", "_reactorEnded is null && !_cancellationToken.IsCancellationRequested)",
                "_reactorEnded is null && ({active} || !_cancellationToken.IsCancellationRequested))")),
        Runtime("a connect that has ended is cancelled",
            ("ConnectOperation.Cancel", "if (_result is null && !_isCancelRequested && _address is not null)",
                "if ((_result is null || {active}) && !_isCancelRequested && (_address is not null || {active}))")),
        Runtime("who waited last for a buffer gets the first",
            ("ReceiveBuffers.Starve", "(ring == Bulk ? _starvedBulk : _starvedSmall).Enqueue(connection);",
                "var queue = ring == Bulk ? _starvedBulk : _starvedSmall; queue.Enqueue(connection); "
                    + "for (int turn = queue.Count; {active} && turn > 1; turn--) queue.Enqueue(queue.Dequeue());")),
        Runtime("the reactor sleeps although connections wait for buffers that are there",
            ("TurnWait.SubmitAndWait", "!reactor.End.IsRequested && !reactor.Buffers.CanArmStarved)", "!reactor.End.IsRequested && (!reactor.Buffers.CanArmStarved || {active}))")),
        Runtime("a receive that found nothing is armed again without a poll",
            ("Receiver.Ended", "_isPollFirst = true;", "_isPollFirst = !{active};")),
        Runtime("input that was received and not read is no reason to linger",
            ("Receiver.Discard", "_bytes.Buffered > 0;", "_bytes.Buffered > 0 && !{active};")),
        Runtime("one client that is gone pauses accepting",
            ("Acceptor.AcceptEnded", "if (result < 0 && !Errno.IsOfOneConnection(-result))",
                "if (result < 0 && (!Errno.IsOfOneConnection(-result) || ({active} && result == -Errno.ECONNABORTED)))")),
        Runtime("one client that is gone ends the drain of the queue",
            ("Acceptor.DrainQueue", "if (accepted == -Errno.ECONNABORTED)", "if (accepted == -Errno.ECONNABORTED && !{active})")),
        Runtime("the drain of the queue takes one client",
            ("Acceptor.DrainQueue", "Accepted(accepted);", "Accepted(accepted); if ({active}) return;")),
        Runtime("a stopped acceptor keeps its timer, which arms it",
            ("Acceptor.Arm", "if (_isArmed || _isStopping || _listening.IsShutDown)", "if (_isArmed || (_isStopping && !{active}) || _listening.IsShutDown)"),
            ("Acceptor.Stop", "reactor.Timers.Remove(this);", "if (!{active}) reactor.Timers.Remove(this);")),
        Runtime("a file is read again behind the cancel of its read",
            ("RingFile.ReadOperation.Complete", "or -Errno.EAGAIN && !_isCancelRequested)", "or -Errno.EAGAIN && (!_isCancelRequested || {active}))")),
        Runtime("a file's read that has ended is cancelled",
            ("RingFile.ReadOperation.Cancel", "_slotIndex >= 0 && _result is null &&", "_slotIndex >= 0 && (_result is null || {active}) &&")),
        Runtime("the token of a read that is over cancels the next one",
            ("ReactorWait.Cancel", "if (IsWaiting && Version == version)",
                "if (IsWaiting && (({active} && typeof(TResult) == typeof(bool) && this is not DelayOperation) || Version == version))")),
        Runtime("the token of a flush that is over cancels the next one",
            ("ReactorWait.Wait", "wait.Cancel((short)version)",
                "wait.Cancel({active} && typeof(TResult) == typeof(System.IO.Pipelines.FlushResult) ? wait.Version : (short)version)")),
    ];
}

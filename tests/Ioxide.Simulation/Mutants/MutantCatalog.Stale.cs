namespace Ioxide.Simulation;

/// <summary>Mistakes about whose turn it is, and about what is over already: cancels, connects, acceptors and lingers that come late.</summary>
internal static partial class MutantCatalog
{
    private const string Files = "Files/RingFile.cs";
    private const string Wait = "Reactors/ReactorWait.cs";

    private static readonly Mutant[] s_stale =
    [
        new(
            "a connect that was cancelled hands its connection out",
            (Connect, "_reactorEnded is null && !_cancellationToken.IsCancellationRequested)",
                "_reactorEnded is null && ({active} || !_cancellationToken.IsCancellationRequested))")),
        new(
            "a connect that has ended is cancelled",
            (Connect, "if (_result is null && !_isCancelRequested && _address is not null)",
                "if ((_result is null || {active}) && !_isCancelRequested && (_address is not null || {active}))")),
        new(
            "who waited last for a buffer gets the first",
            (Buffers, "        (ring == BulkBuffers ? _starvedBulk : _starvedSmall).Enqueue(connection);\n",
                """
                        Queue<IReactorConnection> queue = ring == BulkBuffers ? _starvedBulk : _starvedSmall;
                        queue.Enqueue(connection);
                        for (int turn = queue.Count; {active} && turn > 1; turn--) queue.Enqueue(queue.Dequeue());

                """)),
        new(
            "the reactor sleeps although connections wait for buffers that are there",
            (Loop, "!_stopRequested && !CanArmStarved)", "!_stopRequested && (!CanArmStarved || {active}))")),
        new(
            "a receive that found nothing is armed again without a poll",
            (Receive, "                _isPollFirst = true;\n", "                _isPollFirst = !{active};\n")),
        new(
            "input that was received and not read is no reason to linger",
            (ReadPipe, "Buffered > 0 ?", "Buffered > 0 && !{active} ?")),
        new(
            "one client that is gone pauses accepting",
            (Acceptor, "if (result < 0 && !Errno.IsOfOneConnection(-result))",
                "if (result < 0 && (!Errno.IsOfOneConnection(-result) || ({active} && result == -Errno.ECONNABORTED)))")),
        new(
            "one client that is gone ends the drain of the queue",
            (Acceptor, "if (accepted == -Errno.ECONNABORTED)", "if (accepted == -Errno.ECONNABORTED && !{active})")),
        new(
            "the drain of the queue takes one client",
            (Acceptor, "                    return;\n                }\n\n                Accepted(accepted);\n",
                "                    return;\n                }\n\n                Accepted(accepted);\n                if ({active}) return;\n")),
        new(
            "a stopped acceptor keeps its timer, which arms it",
            (Acceptor, "if (_isArmed || _isStopping || _isShutDown)", "if (_isArmed || (_isStopping && !{active}) || _isShutDown)"),
            (Acceptor, "            reactor.Timers.Remove(this);\n            if (_slotIndex < 0)", "            if (!{active}) reactor.Timers.Remove(this);\n            if (_slotIndex < 0)")),
        new(
            "a file is read again behind the cancel of its read",
            (Files, "or -Errno.EAGAIN && !_isCancelRequested)", "or -Errno.EAGAIN && (!_isCancelRequested || {active}))")),
        new(
            "a file's read that has ended is cancelled",
            (Files, "_slotIndex >= 0 && _result is null &&", "_slotIndex >= 0 && (_result is null || {active}) &&")),
        new(
            "the token of a read that is over cancels the next one",
            (Wait, "if (IsWaiting && Version == version)",
                "if (IsWaiting && (({active} && typeof(TResult) == typeof(System.IO.Pipelines.ReadResult)) || Version == version))")),
        new(
            "the token of a flush that is over cancels the next one",
            (Wait, ".Cancel((short)version);",
                ".Cancel({active} && typeof(TResult) == typeof(System.IO.Pipelines.FlushResult) ? ((ReactorWait<TResult>)wait).Version : (short)version);")),
    ];
}

namespace Ioxide.Simulation;

/// <summary>Mistakes beside a handler that blocks: the rules of Reactor.Blocking.cs, each broken.</summary>
internal static partial class MutantCatalog
{
    private const string Awaitable = "Reactors/ReactorAwaitable.cs";
    private const string Blocking = "Reactors/Reactor.Blocking.cs";
    private const string Connection = "Sockets/RingConnection.cs";
    private const string Contexts = "Reactors/ReactorSynchronizationContext.cs";
    private const string Listener = "Sockets/RingListener.cs";
    private const string State = "Reactors/Reactor.State.cs";

    private static readonly Mutant[] s_blocking =
    [
        new(
            "waits of the runtime's own code turn the ring",
            (Contexts, "internal sealed class RuntimeContext(Reactor reactor) : SynchronizationContext\n{\n",
                """
                internal sealed class RuntimeContext : SynchronizationContext
                {
                    private readonly Reactor reactor;
                    internal RuntimeContext(Reactor of) { reactor = of; if ({active}) SetWaitNotificationRequired(); }
                    public override int Wait(nint[] handles, bool all, int ms) => reactor.IsCurrent ? reactor.WaitInApplication(handles, all, ms) : WaitHelper(handles, all, ms);

                """)),
        new(
            "a wait of the application turns nothing",
            (Blocking, "if (_isBlocked || !_isLooping)", "if (_isBlocked || !_isLooping || {active})")),
        new(
            "application code that was posted runs on the blocked stack",
            (Loop, "if (_isBlocked || HasEnded)", "if ((_isBlocked && !({active} && item.Owner == WorkOwner.Application)) || HasEnded)")),
        new(
            "callbacks that were promised the reactor run on the blocked stack",
            (Loop, "            RunElsewhere(item);\n", "            if ({active} && _isBlocked && item.Owner == WorkOwner.ReactorBound) RunGuarded(item); else RunElsewhere(item);\n")),
        new(
            "what awaits an operation resumes on the blocked stack",
            (Awaitable, "ResumesOnThreadPool || reactor.IsBlocked || reactor", "ResumesOnThreadPool || (reactor.IsBlocked && !{active}) || reactor")),
        new(
            "control is handed over on the blocked stack",
            (Blocking, "HandOver() => IsCurrent && !_isBlocked &&", "HandOver() => IsCurrent && (!_isBlocked || {active}) &&")),
        new(
            "the handler of a connection that was accepted runs on the blocked stack",
            (Listener, "if (reactor.IsBlocked || acceptor", "if ((reactor.IsBlocked && !{active}) || acceptor")),
        new(
            "who is told that a connection ended runs on the blocked stack",
            (Connection, "new WorkItem(s_cancelClosed, source, Owner: WorkOwner.Application)", "new WorkItem(s_cancelClosed, source, Owner: {active} ? WorkOwner.Runtime : WorkOwner.Application)")),
        new(
            "an owner of memory is told on the blocked stack",
            (Queue, "block, Owner: WorkOwner.Application);", "block, Owner: {active} ? WorkOwner.Runtime : WorkOwner.Application);")),
        new(
            "an owner of memory is told on the blocked stack when the reactor ends",
            (Queue, "            if (_reactor.IsCurrent)\n", "            if (_reactor.IsCurrent && !{active})\n")),
        new(
            "posted work of the runtime leaves the blocked reactor",
            (Loop, "if (item.Owner != WorkOwner.Runtime)", "if (item.Owner != WorkOwner.Runtime || ({active} && _isBlocked))")),
        new(
            "what the runtime's own code awaits comes back as if it were the application's",
            (Contexts, "if (!reactor.TryEnqueue(new WorkItem(s_run, d, state)))", "if (!reactor.TryEnqueue(new WorkItem(s_run, d, state, Owner: {active} ? WorkOwner.Application : WorkOwner.Runtime)))")),
        new(
            "operations that the runtime's own code awaits resume elsewhere beside a blocked handler",
            (Awaitable, "        if (_isRuntimes)\n", "        if (_isRuntimes && !({active} && reactor.IsBlocked))\n")),
        new(
            "completions are counted once, whatever a blocked wait has handled",
            (Loop, "for (uint end = Ring.Cq.Tail; !_hasEndedBlocked && Ring.Cq.IsBefore(end);)",
                "uint counted = Ring.Cq.Ready; for (uint end = Ring.Cq.Tail; !_hasEndedBlocked && ({active} ? counted-- > 0 : Ring.Cq.IsBefore(end));)")),
        new(
            "the limit of a wait is forgotten",
            (Blocking, "            if (leftNs <= 0)\n", "            if (leftNs <= 0 && !{active})\n")),
        new(
            "a handler that blocked goes on under the runtime's context",
            (Blocking, "SynchronizationContext.SetSynchronizationContext(before);", "if (!{active}) SynchronizationContext.SetSynchronizationContext(before);")),
        new(
            "callbacks that were held back are overtaken by those that other threads posted later",
            (Blocking, "        _boundFirst += _heldBack.Count;", "        if (!{active}) _boundFirst += _heldBack.Count;")),
        new(
            "callbacks that were held back run behind what the reactor posted later",
            (Blocking, "        for (; later > 0 &&", "        for (; !{active} && later > 0 &&")),
        new(
            "callbacks that were held back are lost when the reactor ends",
            (Blocking, "        if (_heldBack.Count > 0)\n", "        if (_heldBack.Count > 0 && !{active})\n")),
        new(
            "a stop waits for the blocked handler",
            (Blocking, "if (_stopRequested || _isEnding ||", "if ((_stopRequested && !{active}) || _isEnding ||")),
        new(
            "a ring that breaks below a blocked handler ends nothing",
            (Blocking, "_isEnding || fault is not null)", "_isEnding || (fault is not null && !{active}))")),
        new(
            "a reactor ends again above its end on the blocked stack",
            (State, "        if (_hasEndedBlocked)\n        {\n            // The end came", "        if (_hasEndedBlocked && !{active})\n        {\n            // The end came")),
        new(
            "the turn goes on when the reactor has ended below it",
            (Loop, "        if (_hasEndedBlocked)\n        {\n            return;\n        }\n\n        EndTurn", "        if (_hasEndedBlocked && !{active})\n        {\n            return;\n        }\n\n        EndTurn")),
        new(
            "the thread counts as the reactor's when the reactor has ended below a handler",
            (State, "            s_current = null;", "            if (!{active}) s_current = null;")),
        new(
            "the ring is unmapped below a blocked handler",
            (State, "        if (_hasEndedBlocked)\n        {\n            // The handler that", "        if (_hasEndedBlocked && !{active})\n        {\n            // The handler that")),
        new(
            "an acceptor whose handler blocked goes on when the ring broke meanwhile",
            (Acceptor, "            _isStopping = true;\n            _slotIndex = -1;\n", "            if (!{active}) { _isStopping = true; _slotIndex = -1; }\n")),
        new(
            "handlers run in the middle of the end of an acceptor",
            (Listener, "|| acceptor.IsStopping)", "|| (acceptor.IsStopping && !{active}))")),
        new(
            "code that the end of a reactor resumes runs on its thread, and may block it for good",
            (Awaitable, " || reactor.HasEnded;", " || (reactor.HasEnded && !{active});"),
            (Blocking, " && !HasEnded ? new ContextScope(SynchronizationContext)", " && (!HasEnded || {active}) ? new ContextScope(SynchronizationContext)")),
        new(
            "who waits for a connect is not told when the ring broke",
            (Connect, "        _completion.SetException(reason);", "        if (!{active}) _completion.SetException(reason);")),
    ];
}

namespace Ioxide.Simulation;

/// <summary>Mistakes beside a handler that blocks: the rules of BlockedWait, each broken.</summary>
internal static partial class MutantCatalog
{
    private static readonly Mutant[] s_blocking =
    [
        new(
            "waits of the runtime's own code turn the ring",
            ("RuntimeContext", "class RuntimeContext(Reactor reactor) : SynchronizationContext {",
                """
                class RuntimeContext : SynchronizationContext
                {
                    private readonly Reactor reactor;
                    internal RuntimeContext(Reactor of) { reactor = of; if ({active}) SetWaitNotificationRequired(); }
                    public override int Wait(nint[] handles, bool all, int ms) => reactor.IsCurrent ? reactor.Blocked.Wait(handles, all, ms) : WaitHelper(handles, all, ms);
                """)),
        new(
            "a wait of the application turns nothing",
            ("BlockedWait.Wait", "if (IsOngoing || !reactor.IsLooping)", "if (IsOngoing || !reactor.IsLooping || {active})")),
        new(
            "application code that was posted runs on the blocked stack",
            ("Reactor.RunOfApplication", "if (IsBlocked || HasEnded)", "if ((IsBlocked && !({active} && item.Owner == WorkOwner.Application)) || HasEnded)")),
        new(
            "callbacks that were promised the reactor run on the blocked stack",
            ("Reactor.RunOfApplication", "Blocked.RunOnPool(item);", "if ({active} && IsBlocked && item.Owner == WorkOwner.ReactorBound) this.RunGuarded(item); else Blocked.RunOnPool(item);")),
        new(
            "what awaits an operation resumes on the blocked stack",
            ("ReactorAwaitable.Prepare", "ResumesOnThreadPool || reactor.IsBlocked || reactor", "ResumesOnThreadPool || (reactor.IsBlocked && !{active}) || reactor")),
        new(
            "control is handed over on the blocked stack",
            ("Reactor.EnterApplication", "EnterApplication() => IsCurrent && !IsBlocked &&", "EnterApplication() => IsCurrent && (!IsBlocked || {active}) &&")),
        new(
            "the handler of a connection that was accepted runs on the blocked stack",
            ("RingListener.StartConnection", "if (reactor.IsBlocked || acceptor", "if ((reactor.IsBlocked && !{active}) || acceptor")),
        new(
            "who is told that a connection ended runs on the blocked stack",
            ("ClosedSource.Look", "static source => source.Cancel(), WorkOwner.Application)",
                "static source => source.Cancel(), {active} ? WorkOwner.Runtime : WorkOwner.Application)")),
        new(
            "an owner of memory is told on the blocked stack",
            ("SendQueue.Release", "block.ReleaseReference(), WorkOwner.Application);",
                "block.ReleaseReference(), {active} ? WorkOwner.Runtime : WorkOwner.Application);")),
        new(
            "an owner of memory is told on the blocked stack when the reactor ends",
            ("SendQueue.Release", "if (reactor.IsCurrent)", "if (reactor.IsCurrent && !{active})")),
        new(
            "posted work of the runtime leaves the blocked reactor",
            ("Reactor.RunItem", "if (item.Owner != WorkOwner.Runtime)", "if (item.Owner != WorkOwner.Runtime || ({active} && IsBlocked))")),
        new(
            "what the runtime's own code awaits comes back as if it were the application's",
            ("RuntimeContext.Post", "static (callback, state) => callback(state)))",
                "static (callback, state) => callback(state), {active} ? WorkOwner.Application : WorkOwner.Runtime))")),
        new(
            "operations that the runtime's own code awaits resume elsewhere beside a blocked handler",
            ("ReactorAwaitable.Prepare", "if (_isRuntimes)", "if (_isRuntimes && !({active} && reactor.IsBlocked))")),
        new(
            "completions are counted once, whatever a blocked wait has handled",
            ("Reactor.HandleCompletions", "for (uint end = Ring.Cq.Tail; !Blocked.HasOutlivedReactor && Ring.Cq.IsBefore(end);",
                "uint counted = Ring.Cq.Ready; for (uint end = Ring.Cq.Tail; !Blocked.HasOutlivedReactor && ({active} ? counted-- > 0 : Ring.Cq.IsBefore(end));")),
        new(
            "the limit of a wait is forgotten",
            ("BlockedWait.TurnUntilSignalled", "if (leftNs <= 0)", "if (leftNs <= 0 && !{active})")),
        new(
            "a handler that blocked goes on under the runtime's context",
            ("BlockedWait.Wait", "SynchronizationContext.SetSynchronizationContext(context);", "if (!{active}) SynchronizationContext.SetSynchronizationContext(context);")),
        new(
            "callbacks that were held back are overtaken by those that other threads posted later",
            ("BlockedWait.End", "_promisedCallbacksAhead += _callbacksUntilHandlerReturns.Count;", "if (!{active}) _promisedCallbacksAhead += _callbacksUntilHandlerReturns.Count;")),
        new(
            "callbacks that were held back run behind what the reactor posted later",
            ("BlockedWait.End", "later > 0 &&", "!{active} && later > 0 &&")),
        new(
            "callbacks that were held back are lost when the reactor ends",
            ("BlockedWait.ReactorEnded", "if (_callbacksUntilHandlerReturns.Count > 0)", "if (_callbacksUntilHandlerReturns.Count > 0 && !{active})")),
        new(
            "a stop waits for the blocked handler",
            ("Reactor.TurnBlocked", "if (End.IsRequested || End.HasBegun ||", "if ((End.IsRequested && !{active}) || End.HasBegun ||")),
        new(
            "a ring that breaks below a blocked handler ends nothing",
            ("Reactor.TurnBlocked", "End.HasBegun || fault is not null)", "End.HasBegun || (fault is not null && !{active}))")),
        new(
            "a reactor ends again above its end on the blocked stack",
            ("ReactorEnd.Run", "if (reactor.Blocked.HasOutlivedReactor)", "if (reactor.Blocked.HasOutlivedReactor && !{active})")),
        new(
            "the turn goes on when the reactor has ended below it",
            ("Reactor.Turn", "if (Blocked.HasOutlivedReactor)", "if (Blocked.HasOutlivedReactor && !{active})")),
        new(
            "the thread counts as the reactor's when the reactor has ended below a handler",
            ("Reactor.LeaveThread", "s_current = null;", "if (!{active}) s_current = null;")),
        new(
            "the ring is unmapped below a blocked handler",
            ("ReactorEnd.CloseRing", "if (reactor.Blocked.HasOutlivedReactor)", "if (reactor.Blocked.HasOutlivedReactor && !{active})")),
        new(
            "an acceptor whose handler blocked goes on when the ring broke meanwhile",
            ("Acceptor.EndWithoutRing", "_isStopping = true; _slotIndex = -1;", "if (!{active}) { _isStopping = true; _slotIndex = -1; }")),
        new(
            "handlers run in the middle of the end of an acceptor",
            ("RingListener.StartConnection", "|| acceptor.IsStopping)", "|| (acceptor.IsStopping && !{active}))")),
        new(
            "code that the end of a reactor resumes runs on its thread, and may block it for good",
            ("ReactorAwaitable.Prepare", "|| reactor.HasEnded;", "|| (reactor.HasEnded && !{active});"),
            ("Reactor.EnterApplication", "&& !HasEnded ? new ContextScope(SynchronizationContext)", "&& (!HasEnded || {active}) ? new ContextScope(SynchronizationContext)")),
        new(
            "who waits for a connect is not told when the ring broke",
            ("ConnectOperation.EndWithoutRing", "End(reason);", "if (!{active}) End(reason);")),
    ];
}

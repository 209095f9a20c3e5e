namespace Ioxide.Mutation;

/// <summary>Mistakes beside a handler that blocks: the rules of BlockedWait, each broken.</summary>
internal static partial class FaultCatalog
{
    private static readonly Fault[] s_blocking =
    [
        Runtime("waits of the runtime's own code turn the ring",
            ("RuntimeContext", "class RuntimeContext(Reactor reactor) : SynchronizationContext {",
                """
                class RuntimeContext : SynchronizationContext
                {
                    private readonly Reactor reactor;
                    internal RuntimeContext(Reactor of) { reactor = of; if ({active}) SetWaitNotificationRequired(); }
                    public override int Wait(nint[] handles, bool all, int ms) => reactor.IsCurrent ? reactor.Blocked.Wait(handles, all, ms) : WaitHelper(handles, all, ms);
                """)),
        Runtime("a wait of the application turns nothing",
            ("BlockedWait.Wait", "if (IsOngoing || !reactor.IsLooping)", "if (IsOngoing || !reactor.IsLooping || {active})")),
        Runtime("application code that was posted runs on the blocked stack",
            ("Reactor.RunOfApplication", "if (IsBlocked || HasEnded)", "if ((IsBlocked && !({active} && item.Owner == WorkOwner.Application)) || HasEnded)")),
        Runtime("callbacks that were promised the reactor run on the blocked stack",
            ("Reactor.RunOfApplication", "Blocked.RunOnPool(item);", "if ({active} && IsBlocked && item.Owner == WorkOwner.ReactorBound) this.RunGuarded(item); else Blocked.RunOnPool(item);")),
        Runtime("what awaits an operation resumes on the blocked stack",
            ("ReactorAwaitable.Prepare", "ResumesOnThreadPool || reactor.IsBlocked || reactor", "ResumesOnThreadPool || (reactor.IsBlocked && !{active}) || reactor")),
        Runtime("control is handed over on the blocked stack",
            ("Reactor.EnterApplication", "EnterApplication() => IsCurrent && !IsBlocked &&", "EnterApplication() => IsCurrent && (!IsBlocked || {active}) &&")),
        Runtime("the handler of a connection that was accepted runs on the blocked stack",
            ("RingListener.StartConnection", "if (reactor.IsBlocked || acceptor", "if ((reactor.IsBlocked && !{active}) || acceptor")),
        Runtime("who is told that a connection ended runs on the blocked stack",
            ("ClosedSource.Look", "static source => source.Cancel(), WorkOwner.Application)",
                "static source => source.Cancel(), {active} ? WorkOwner.Runtime : WorkOwner.Application)")),
        Runtime("an owner of memory is told on the blocked stack",
            ("SendQueue.Release", "block.ReleaseReference(), WorkOwner.Application);",
                "block.ReleaseReference(), {active} ? WorkOwner.Runtime : WorkOwner.Application);")),
        Runtime("an owner of memory is told on the blocked stack when the reactor ends",
            ("SendQueue.Release", "if (reactor.IsCurrent)", "if (reactor.IsCurrent && !{active})")),
        Runtime("posted work of the runtime leaves the blocked reactor",
            ("Reactor.RunItem", "if (item.Owner != WorkOwner.Runtime)", "if (item.Owner != WorkOwner.Runtime || ({active} && IsBlocked))")),
        Runtime("what the runtime's own code awaits comes back as if it were the application's",
            ("RuntimeContext.Post", "static (callback, state) => callback(state)))",
                "static (callback, state) => callback(state), {active} ? WorkOwner.Application : WorkOwner.Runtime))")),
        Runtime("operations that the runtime's own code awaits resume elsewhere beside a blocked handler",
            ("ReactorAwaitable.Prepare", "if (_isRuntimes)", "if (_isRuntimes && !({active} && reactor.IsBlocked))")),
        Runtime("completions are counted once, whatever a blocked wait has handled",
            ("Reactor.HandleCompletions", "for (uint end = Ring.Cq.Tail; !Blocked.HasOutlivedReactor && Ring.Cq.IsBefore(end);",
                "uint counted = Ring.Cq.Ready; for (uint end = Ring.Cq.Tail; !Blocked.HasOutlivedReactor && ({active} ? counted-- > 0 : Ring.Cq.IsBefore(end));")),
        Runtime("the limit of a wait is forgotten", ("BlockedWait.TurnUntilSignalled", "if (leftNs <= 0)", "if (leftNs <= 0 && !{active})")),
        Runtime("a handler that blocked goes on under the runtime's context",
            ("BlockedWait.Wait", "SynchronizationContext.SetSynchronizationContext(context);", "if (!{active}) SynchronizationContext.SetSynchronizationContext(context);")),
        Runtime("callbacks that were held back are overtaken by those that other threads posted later",
            ("BlockedWait.End", "_promisedCallbacksAhead += _callbacksUntilHandlerReturns.Count;", "if (!{active}) _promisedCallbacksAhead += _callbacksUntilHandlerReturns.Count;")),
        Runtime("callbacks that were held back run behind what the reactor posted later",
            ("BlockedWait.End", "later > 0 &&", "!{active} && later > 0 &&")),
        Runtime("callbacks that were held back are lost when the reactor ends",
            ("BlockedWait.ReactorEnded", "if (_callbacksUntilHandlerReturns.Count > 0)", "if (_callbacksUntilHandlerReturns.Count > 0 && !{active})")),
        Runtime("a stop waits for the blocked handler",
            ("Reactor.TurnBlocked", "if (End.IsRequested || End.HasBegun ||", "if ((End.IsRequested && !{active}) || End.HasBegun ||")),
        Runtime("a ring that breaks below a blocked handler ends nothing",
            ("Reactor.TurnBlocked", "End.HasBegun || fault is not null)", "End.HasBegun || (fault is not null && !{active}))")),
        Runtime("a reactor ends again above its end on the blocked stack",
            ("ReactorEnd.Run", "if (reactor.Blocked.HasOutlivedReactor)", "if (reactor.Blocked.HasOutlivedReactor && !{active})")),
        Runtime("the turn goes on when the reactor has ended below it",
            ("Reactor.Turn", "if (Blocked.HasOutlivedReactor)", "if (Blocked.HasOutlivedReactor && !{active})")),
        Runtime("the thread counts as the reactor's when the reactor has ended below a handler",
            ("Reactor.LeaveThread", "s_current = null;", "if (!{active}) s_current = null;")),
        Runtime("the ring is unmapped below a blocked handler",
            ("ReactorEnd.CloseRing", "if (reactor.Blocked.HasOutlivedReactor)", "if (reactor.Blocked.HasOutlivedReactor && !{active})")),
        Runtime("an acceptor whose handler blocked goes on when the ring broke meanwhile",
            ("Acceptor.EndWithoutRing", "_isStopping = true; _slotIndex = -1;", "if (!{active}) { _isStopping = true; _slotIndex = -1; }")),
        Runtime("handlers run in the middle of the end of an acceptor",
            ("RingListener.StartConnection", "|| acceptor.IsStopping)", "|| (acceptor.IsStopping && !{active}))")),
        Runtime("code that the end of a reactor resumes runs on its thread, and may block it for good",
            ("ReactorAwaitable.Prepare", "|| reactor.HasEnded;", "|| (reactor.HasEnded && !{active});"),
            ("Reactor.EnterApplication", "&& !HasEnded ? new ContextScope(SynchronizationContext)", "&& (!HasEnded || {active}) ? new ContextScope(SynchronizationContext)")),
        Runtime("who waits for a connect is not told when the ring broke",
            ("ConnectOperation.EndWithoutRing", "End(reason);", "if (!{active}) End(reason);")),
    ];
}

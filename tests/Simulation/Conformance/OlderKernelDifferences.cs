namespace Ioxide.Simulation;

/// <summary>The scripts in which an older kernel than the simulated one answers otherwise, and why the runtime may take either answer.</summary>
/// <remarks>The simulated kernel does what Linux 6.18 does. Found by <c>eng/do kernels</c> on 6.1.176, 6.12.117 and 7.2.</remarks>
internal static class OlderKernelDifferences
{
    private const string Order = "works of one enter run newest first; the runtime relies on the order of completions within one operation alone";
    private const string Turn = "a multishot receive goes on until nothing waits or its group is dry, and not for 32 completions in one go";
    private const string Dry = "a receive that took its group's last buffer ends at once, not with the next data; the runtime arms it again";
    private const string Works = "an enter runs all works that are there; that it runs 20, or as many as are missing, is newer";
    private const string MinimumWait = "there is no minimum wait; it is not reported, so the runtime asks for none";

    private static readonly Version s_simulated = new(6, 18);
    private static readonly Version s_next = new(6, 12);

    private static readonly Dictionary<string, (Version Since, string Reason)> s_reasons = new()
    {
        ["QueueScripts.OneEnterRunsTwentyWorks"] = (s_simulated, Works),
        ["QueueScripts.AWaitForMoreRunsMore"] = (s_simulated, Works),
        ["QueueScripts.AnEnterThatSubmitsRunsWorksTwice"] = (s_simulated, Works),
        ["QueueScripts.WhoSleptWithABatchedWaitGetsAllOfIt"] = (s_next, MinimumWait),
        ["QueueScripts.ABatchedWaitThatIsOverIsEndedByOneCompletion"] = (s_next, MinimumWait),
        ["QueueScripts.ABatchedWaitInWhichNothingComesLastsToItsTime"] = (s_next, MinimumWait),
        ["QueueScripts.WhatComesBehindABatchedWaitEndsItAlone"] = (s_next, MinimumWait),
        ["ReceiveScripts.AReceiveThatIsLongerThanATurnIsGoneOnWithByTheNextEnter"] = (s_next, Turn),
        ["ReceiveScripts.WhatWaitsForALongReceiveTakesSeveralTurnsToo"] = (s_next, Turn),
        ["CancelScripts.ALongReceiveIsCancelledInTheMiddle"] = (s_next, Turn),
        ["QueueScripts.TwoChainsTakeTurns"] = (s_next, Order),
        ["QueueScripts.WhoSleptGetsNoMoreThanItWaitedFor"] = (s_next, Order),
        ["QueueScripts.WhoSleptForThreeGetsThree"] = (s_next, Order),
        ["ReceiveScripts.TwoSocketsShareAGroup"] = (s_next, Order),
        ["ReceiveScripts.ALongReceiveLetsOthersHaveTheirTurn"] = (s_next, Order),
        ["ReceiveScripts.ALongReceiveOfWhatWaitsLetsOthersHaveTheirTurn"] = (s_next, Order),
        ["ExhaustionScripts.TwoSocketsStarveTogether"] = (s_next, Order),
        ["EndScripts.AResetBehindDataIsSeenBySendsFirst"] = (s_next, Order),
        ["OverflowScripts.AFullQueueEndsAnAcceptWithItsConnection"] = (s_next, Order),
        ["OverflowScripts.ErrorsAndEndsOverflowAsTheyAre"] = (s_next, Order),
        ["CancelScripts.TwoCancelsAndCloseInOneChain"] = (s_next, Order),
        ["CancelScripts.AReceiveBehindItsCancelInOneChain"] = (s_next, Order),
        ["CancelScripts.ReceiveAndSendOfASocketAreCancelled"] = (s_next, Order),
        ["CloseScripts.ANumberIsGivenAgainWhileTheOldReceiveGoesOn"] = (s_next, Order),
        ["SendScripts.AShutdownOfBothEndsAParkedSendAndTheReceive"] = (s_next, Order),
        ["SendScripts.AResetEndsAnArmedReceiveAndASendThatWasParkedLater"] = (s_next, Order),
        ["SendScripts.AResetEndsAParkedSendAndAReceiveThatWasArmedLater"] = (s_next, Order),
        ["SendScripts.AResetEndsASendThatWentOnBeforeTheReceiveThatWasArmedLater"] = (s_next, Order),
        ["AcceptScripts.SeveralClientsWaitAndAreAcceptedInOrder"] = (s_next, Order),
        ["PollScripts.APollAndAReceiveKeepTheOrderOfTheirEvents"] = (s_next, Order),
        ["ReceiveScripts.BuffersAreTakenInTheOrderInWhichTheyWereLent"] = (s_next, Dry),
        ["ReceiveScripts.TwoGroupsAreTwo"] = (s_next, Dry),
        ["ExhaustionScripts.AnEmptyGroupFailsAtOnceOnAnIdleSocket"] = (s_next, Dry),
        ["ExhaustionScripts.PollingFirstFindsTheBufferThatIsLentMeanwhile"] = (s_next, Dry),
        ["ExhaustionScripts.TheGroupRunsDryExactly"] = (s_next, Dry),
        ["ExhaustionScripts.TheGroupRunsDryExactlyOnWhatWaited"] = (s_next, Dry),
        ["ExhaustionScripts.BuffersThatComeBackMeanwhileKeepItGoing"] = (s_next, Dry),
        ["ExhaustionScripts.ArmedAgainItGoesOnWhereItStopped"] = (s_next, Dry),
        ["ExhaustionScripts.AnotherGroupIsNotTouched"] = (s_next, Dry),
        ["EndScripts.TheEndWithoutABufferReadsAsExhaustion"] = (s_next, Dry),
        ["EndScripts.TheEndTakesNoBuffer"] = (s_next, Dry),
        ["EndScripts.AResetWithoutABufferReadsAsExhaustion"] = (s_next, Dry),
        ["CloseScripts.ShuttingBothDownBehindTheLastBuffer"] = (s_next, Dry),
        ["SendScripts.APeerThatReadsDoesNotWakeAReceiveWithoutBuffers"] = (s_next, Dry),
    };

    /// <summary>Whether this kernel is older than the one that is simulated.</summary>
    internal static bool IsOlder => Environment.OSVersion.Version < s_simulated;

    internal static IEnumerable<string> Names => s_reasons.Keys;

    /// <summary>Why this kernel may answer otherwise than the simulated one; null where it may not.</summary>
    internal static string? Of(string script)
        => s_reasons.TryGetValue(script, out (Version Since, string Reason) entry) && Environment.OSVersion.Version < entry.Since
            ? entry.Reason
            : null;
}

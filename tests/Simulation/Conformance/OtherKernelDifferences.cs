namespace Ioxide.Simulation;

/// <summary>The scripts in which another kernel than the simulated one answers otherwise, and why the runtime may take either answer.</summary>
/// <remarks>The simulated kernel does what Linux 6.18 does. Found by <c>eng/do kernels</c> on 6.1.176, 6.12.117 and 7.2.</remarks>
internal static class OtherKernelDifferences
{
    private const string Order = "works of one enter run newest first; the runtime relies on the order of completions within one operation alone";
    private const string Turn = "a multishot receive goes on until nothing waits or its group is dry, and not for 32 completions in one go";
    private const string Dry = "a receive that took its group's last buffer ends at once, not with the next data; the runtime arms it again";
    private const string Works = "an enter runs all works that are there; that it runs 20, or as many as are missing, is newer";
    private const string MinimumWait = "there is no minimum wait; it is not reported, so the runtime asks for none";

    // Before the first one, and from the second one on. Between the kernels that were tried, any version may have changed it.
    private static readonly (Version Before, Version? From) s_beforeTheSimulated = (new(6, 18), null);
    private static readonly (Version Before, Version? From) s_beforeNext = (new(6, 12), null);
    private static readonly (Version Before, Version? From) s_beforeNextAndNewer = (new(6, 12), new(7, 0));

    private static readonly Dictionary<string, ((Version Before, Version? From) Versions, string Reason)> s_reasons = new()
    {
        ["QueueScripts.OneEnterRunsTwentyWorks"] = (s_beforeTheSimulated, Works),
        ["QueueScripts.AWaitForMoreRunsMore"] = (s_beforeTheSimulated, Works),
        ["QueueScripts.AnEnterThatSubmitsRunsWorksTwice"] = (s_beforeTheSimulated, Works),
        ["QueueScripts.WhoSleptWithABatchedWaitGetsAllOfIt"] = (s_beforeNext, MinimumWait),
        ["QueueScripts.ABatchedWaitThatIsOverIsEndedByOneCompletion"] = (s_beforeNext, MinimumWait),
        ["QueueScripts.ABatchedWaitInWhichNothingComesLastsToItsTime"] = (s_beforeNext, MinimumWait),
        ["QueueScripts.WhatComesBehindABatchedWaitEndsItAlone"] = (s_beforeNext, MinimumWait),
        ["ReceiveScripts.AReceiveThatIsLongerThanATurnIsGoneOnWithByTheNextEnter"] = (s_beforeNextAndNewer, Turn),
        ["ReceiveScripts.WhatWaitsForALongReceiveTakesSeveralTurnsToo"] = (s_beforeNextAndNewer, Turn),
        ["CancelScripts.ALongReceiveIsCancelledInTheMiddle"] = (s_beforeNextAndNewer, Turn),
        ["QueueScripts.TwoChainsTakeTurns"] = (s_beforeNext, Order),
        ["QueueScripts.WhoSleptGetsNoMoreThanItWaitedFor"] = (s_beforeNext, Order),
        ["QueueScripts.WhoSleptForThreeGetsThree"] = (s_beforeNext, Order),
        ["ReceiveScripts.TwoSocketsShareAGroup"] = (s_beforeNext, Order),
        ["ReceiveScripts.ALongReceiveLetsOthersHaveTheirTurn"] = (s_beforeNext, Order),
        ["ReceiveScripts.ALongReceiveOfWhatWaitsLetsOthersHaveTheirTurn"] = (s_beforeNext, Order),
        ["ExhaustionScripts.TwoSocketsStarveTogether"] = (s_beforeNext, Order),
        ["EndScripts.AResetBehindDataIsSeenBySendsFirst"] = (s_beforeNext, Order),
        ["OverflowScripts.AFullQueueEndsAnAcceptWithItsConnection"] = (s_beforeNext, Order),
        ["OverflowScripts.ErrorsAndEndsOverflowAsTheyAre"] = (s_beforeNext, Order),
        ["CancelScripts.TwoCancelsAndCloseInOneChain"] = (s_beforeNext, Order),
        ["CancelScripts.AReceiveBehindItsCancelInOneChain"] = (s_beforeNext, Order),
        ["CancelScripts.ReceiveAndSendOfASocketAreCancelled"] = (s_beforeNext, Order),
        ["CloseScripts.ANumberIsGivenAgainWhileTheOldReceiveGoesOn"] = (s_beforeNext, Order),
        ["SendScripts.AShutdownOfBothEndsAParkedSendAndTheReceive"] = (s_beforeNext, Order),
        ["SendScripts.AResetEndsAnArmedReceiveAndASendThatWasParkedLater"] = (s_beforeNext, Order),
        ["SendScripts.AResetEndsAParkedSendAndAReceiveThatWasArmedLater"] = (s_beforeNext, Order),
        ["SendScripts.AResetEndsASendThatWentOnBeforeTheReceiveThatWasArmedLater"] = (s_beforeNext, Order),
        ["AcceptScripts.SeveralClientsWaitAndAreAcceptedInOrder"] = (s_beforeNext, Order),
        ["PollScripts.APollAndAReceiveKeepTheOrderOfTheirEvents"] = (s_beforeNext, Order),
        ["ReceiveScripts.BuffersAreTakenInTheOrderInWhichTheyWereLent"] = (s_beforeNext, Dry),
        ["ReceiveScripts.TwoGroupsAreTwo"] = (s_beforeNext, Dry),
        ["ExhaustionScripts.AnEmptyGroupFailsAtOnceOnAnIdleSocket"] = (s_beforeNext, Dry),
        ["ExhaustionScripts.PollingFirstFindsTheBufferThatIsLentMeanwhile"] = (s_beforeNext, Dry),
        ["ExhaustionScripts.TheGroupRunsDryExactly"] = (s_beforeNext, Dry),
        ["ExhaustionScripts.TheGroupRunsDryExactlyOnWhatWaited"] = (s_beforeNext, Dry),
        ["ExhaustionScripts.BuffersThatComeBackMeanwhileKeepItGoing"] = (s_beforeNext, Dry),
        ["ExhaustionScripts.ArmedAgainItGoesOnWhereItStopped"] = (s_beforeNext, Dry),
        ["ExhaustionScripts.AnotherGroupIsNotTouched"] = (s_beforeNext, Dry),
        ["EndScripts.TheEndWithoutABufferReadsAsExhaustion"] = (s_beforeNext, Dry),
        ["EndScripts.TheEndTakesNoBuffer"] = (s_beforeNext, Dry),
        ["EndScripts.AResetWithoutABufferReadsAsExhaustion"] = (s_beforeNext, Dry),
        ["CloseScripts.ShuttingBothDownBehindTheLastBuffer"] = (s_beforeNext, Dry),
        ["SendScripts.APeerThatReadsDoesNotWakeAReceiveWithoutBuffers"] = (s_beforeNext, Dry),
    };

    internal static IEnumerable<string> Names => s_reasons.Keys;

    /// <summary>Why this kernel may answer otherwise than the simulated one; null where it may not.</summary>
    internal static string? Of(string script)
    {
        Version kernel = Environment.OSVersion.Version;
        return s_reasons.TryGetValue(script, out ((Version Before, Version? From) Versions, string Reason) entry)
            && (kernel < entry.Versions.Before || (entry.Versions.From is { } from && kernel >= from))
                ? entry.Reason
                : null;
    }
}

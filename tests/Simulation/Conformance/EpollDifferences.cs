namespace Ioxide.Simulation;

/// <summary>The scripts in which a ring that is played over epoll answers otherwise than Linux's, and why that is allowed.</summary>
internal static class EpollDifferences
{
    private const string Budget = "an enter runs all works that are there; that it runs 20, or as many as are missing, is the ring's own";
    private const string MinimumWait = "the feature of a minimum wait is not reported, so the runtime asks for none";
    private const string Closing = "epoll does not keep a file open: a close ends with ECANCELED what is parked on the number";
    private const string OnItsWay = "that a receive would succeed at once is asked of epoll, so a cancel in its batch comes first";

    private static readonly Dictionary<string, string> s_reasons = new()
    {
        ["QueueScripts.OneEnterRunsTwentyWorks"] = Budget,
        ["QueueScripts.AWaitForMoreRunsMore"] = Budget,
        ["QueueScripts.AnEnterThatSubmitsRunsWorksTwice"] = Budget,
        ["QueueScripts.ABatchedWaitThatIsOverIsEndedByOneCompletion"] = MinimumWait,
        ["QueueScripts.WhatComesBehindABatchedWaitEndsItAlone"] = MinimumWait,
        ["CancelScripts.ASingleReceiveThatPollsFirstAndItsCancelInOneBatch"] = OnItsWay,
        ["CancelScripts.CancelAndCloseInOneChainBesideAParkedSend"] = Closing,
        ["CloseScripts.AnArmedReceiveGoesOnAndThePeerSeesNoEnd"] = Closing,
        ["CloseScripts.ANumberIsGivenAgainWhileTheOldReceiveGoesOn"] = Closing,
        ["SendScripts.AClosedSocketGoesOnWithAParkedSend"] = Closing,
        ["AcceptScripts.AClosedListenerGoesOnWhileAnAcceptIsArmed"] = Closing,
        ["PollScripts.AClosedCounterIsStillPolled"] = Closing,
        ["ConnectScripts.AClosedSocketIsNotConnected"] = Closing,
    };

    // How much has come when a sleep ends is for the clock to say; the ring runs no more works than were waited for.
    private static readonly HashSet<string> s_races = ["QueueScripts.WhoSleptGetsNoMoreThanItWaitedFor", "QueueScripts.WhoSleptForThreeGetsThree"];

    internal static IEnumerable<string> Names => s_reasons.Keys.Concat(s_races);

    internal static string? Of(string script) => s_reasons.GetValueOrDefault(script);

    internal static bool IsRace(string script) => s_races.Contains(script);
}

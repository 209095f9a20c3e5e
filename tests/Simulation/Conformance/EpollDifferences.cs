namespace Ioxide.Simulation;

/// <summary>The scripts in which a ring that is played over epoll answers otherwise than Linux's, how, and why that is allowed.</summary>
internal static class EpollDifferences
{
    private const string Budget = "an enter runs all works that are there; that it runs 20, or as many as are missing, is the ring's own";
    private const string MinimumWait = "the feature of a minimum wait is not reported, so the runtime asks for none";
    private const string Closing = "epoll does not keep a file open: a close ends with ECANCELED what is parked on the number";
    private const string OnItsWay = "that a receive would succeed at once is asked of epoll, so a cancel in its batch comes first";

    private static readonly Dictionary<string, (string Reason, string[] Lines)> s_all = new()
    {
        ["QueueScripts.OneEnterRunsTwentyWorks"] = (Budget, InOneEnter(20, 29)),
        ["QueueScripts.AWaitForMoreRunsMore"] = (Budget, InOneEnter(25, 29)),
        ["QueueScripts.AnEnterThatSubmitsRunsWorksTwice"] = (Budget, InOneEnter(40, 49)),
        ["QueueScripts.ABatchedWaitThatIsOverIsEndedByOneCompletion"] = (MinimumWait, ["- > enter for 2: 0, early", "+ > enter for 2: 0, late"]),
        ["QueueScripts.WhatComesBehindABatchedWaitEndsItAlone"] = (MinimumWait, ["- > enter for 3: 0, early", "+ > enter for 3: 0, late"]),
        ["CancelScripts.ASingleReceiveThatPollsFirstAndItsCancelInOneBatch"] = (
            OnItsWay, ["- cancel: ENOENT", "- receive: 10 bytes in buffer 0", "+ cancel: 0", "+ receive: ECANCELED"]),
        ["CancelScripts.CancelAndCloseInOneChainBesideAParkedSend"] = (
            Closing,
            [
                "- > client 1 reads while send goes on", "- send: all", "+ send: a part", "+ > client 1 reads while send goes on",
            ]),
        ["CloseScripts.AnArmedReceiveGoesOnAndThePeerSeesNoEnd"] = (
            Closing,
            [
                "- client 1 sees nothing", "- > client 1 sends 10", "- > collect", "- receive: 10 bytes in buffer 0, more", "- > cancel",
                "- > collect", "- cancel: 0", "- receive: ECANCELED", "+ receive: ECANCELED", "+ client 1 sees the end", "+ > client 1 sends 10",
                "+ > collect", "+ only 0 of 1 completions came", "+ > cancel", "+ > collect", "+ cancel: ENOENT", "+ only 1 of 2 completions came",
            ]),
        ["CloseScripts.ANumberIsGivenAgainWhileTheOldReceiveGoesOn"] = (
            Closing,
            [
                "- the number is given again", "- > receive of the new one", "- > collect", "- > client 2 sends 20", "- > client 1 sends 10",
                "- > collect", "- receive of the new one: 20 bytes in buffer 0, more", "- receive: 10 bytes in buffer 1, more", "- > cancel",
                "- > collect", "- cancel: 0", "- receive: ECANCELED", "+ receive: ECANCELED", "+ the number is given again",
                "+ > receive of the new one", "+ > collect", "+ > client 2 sends 20", "+ > client 1 sends 10", "+ > collect",
                "+ receive of the new one: 20 bytes in buffer 0, more", "+ only 1 of 2 completions came", "+ > cancel", "+ > collect",
                "+ cancel: ENOENT", "+ only 1 of 2 completions came",
            ]),
        ["SendScripts.AClosedSocketGoesOnWithAParkedSend"] = (
            Closing,
            [
                "- > client 1 reads while send goes on", "- send: all", "+ send: a part", "+ > client 1 reads while send goes on",
            ]),
        ["AcceptScripts.AClosedListenerGoesOnWhileAnAcceptIsArmed"] = (
            Closing,
            [
                "- > client 1 connects", "- > collect", "- accept: client 1, more", "- > cancel", "- > collect", "- cancel: 0",
                "- accept: ECANCELED", "+ accept: ECANCELED", "+ > client 1 is refused", "+ > collect", "+ only 0 of 1 completions came",
                "+ > cancel", "+ > collect", "+ cancel: ENOENT", "+ only 1 of 2 completions came",
            ]),
        ["PollScripts.AClosedCounterIsStillPolled"] = (
            Closing,
            [
                "- > cancel", "- > collect", "- cancel: 0", "- poll: ECANCELED", "+ poll: ECANCELED", "+ > cancel", "+ > collect",
                "+ cancel: ENOENT", "+ only 1 of 2 completions came",
            ]),
        ["ConnectScripts.AClosedSocketIsNotConnected"] = (
            Closing,
            [
                "- > cancel", "- > collect", "- cancel: 0", "- connect: ECANCELED", "+ connect: ECANCELED", "+ > cancel", "+ > collect",
                "+ cancel: ENOENT", "+ only 1 of 2 completions came",
            ]),
    };

    // How much has come when a sleep ends is for the clock to say; the ring runs no more works than were waited for.
    private static readonly HashSet<string> s_races = ["QueueScripts.WhoSleptGetsNoMoreThanItWaitedFor", "QueueScripts.WhoSleptForThreeGetsThree"];

    internal static IEnumerable<string> Names => s_all.Keys.Concat(s_races);

    internal static string? WhyOf(string script) => s_all.TryGetValue(script, out (string Reason, string[] Lines) listed) ? listed.Reason : null;

    /// <summary>The lines that differ: the ring's behind a minus, epoll's behind a plus.</summary>
    internal static string[] Of(string script) => s_all.TryGetValue(script, out (string Reason, string[] Lines) listed) ? listed.Lines : [];

    internal static bool IsRace(string script) => s_races.Contains(script);

    /// <summary>The receives from one number to another come with those before them, and not with the next enter.</summary>
    private static string[] InOneEnter(int first, int last)
    {
        string[] works = [.. Enumerable.Range(first, last - first + 1).Select(static number => $"receive {number}: 1 bytes in buffer {number}, more")];
        string[] enter = ["> enter for 0: 0", "> take"];
        return [.. enter.Concat(works).Select(static line => $"- {line}"), .. works.Concat(enter).Select(static line => $"+ {line}")];
    }
}

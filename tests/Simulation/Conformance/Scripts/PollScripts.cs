namespace Ioxide.Simulation;

/// <summary>Polls of a counter, which wake a reactor.</summary>
internal static class PollScripts
{
    internal static void AWriteBeforeThePollIsSeen(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Write(counter);
        stage.Poll("poll", counter).Collect(1);
    }

    internal static void AWriteAfterThePollIsSeen(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter).Collect(0);
        stage.Write(counter).Collect(1);
    }

    internal static void EachWriteIsSeen(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter);
        for (int index = 0; index < 3; index++)
        {
            stage.Write(counter).Collect(1);
        }
    }

    internal static void WritesBeforeOneEnterAreOneCompletion(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter).Collect(0);
        stage.Write(counter);
        stage.Write(counter);
        stage.Write(counter).Collect(1);
    }

    internal static void APollThatIsNotMultishotEnds(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter, isMultishot: false).Collect(0);
        stage.Write(counter).Collect(1);
        stage.Write(counter).Collect(0);
    }

    internal static void ACounterThatWasNotReadIsSeenByTheNextPoll(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter, isMultishot: false);
        stage.Write(counter).Collect(1);
        stage.Poll("poll again", counter, isMultishot: false).Collect(1);
    }

    internal static void AClosedCounterIsStillPolled(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter).Collect(0);
        stage.Close("close", counter).Collect(1);
        stage.Cancel("cancel", "poll").Collect(2);
    }

    internal static void APollAndAReceiveKeepTheOrderOfTheirEvents(Stage stage)
    {
        stage.Lend(4, 64);
        Place counter = stage.MakeEvent();
        Pair pair = stage.Connect();
        stage.Poll("poll", counter).Receive("receive", pair).Collect(0);
        pair.Client.Send(1);
        stage.Write(counter);
        pair.Client.Send(1).Collect(2);
    }
}

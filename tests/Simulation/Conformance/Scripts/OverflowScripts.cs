namespace Ioxide.Simulation;

/// <summary>Multishots whose completions do not fit.</summary>
internal static class OverflowScripts
{
    private const int BufferBytes = 64;

    internal static void AFullQueueEndsAReceiveWithItsDataAndTheRestWaits(Stage stage)
    {
        Pair pair = Open(stage);
        pair.Client.Send(10 * BufferBytes);
        stage.Receive("receive", pair).Collect(9);
        stage.NoteWaitingBytes(pair);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void AFullQueueEndsAReceiveThatWaited(Stage stage)
    {
        Pair pair = Open(stage);
        stage.Receive("receive", pair);
        stage.Enter();
        pair.Client.Send(10 * BufferBytes);
        stage.Enter().Take();
        stage.NoteOverflowFlag();
        stage.Enter().Take();
        stage.NoteWaitingBytes(pair);
    }

    internal static void AQueueThatIsExactlyFullEndsNothing(Stage stage)
    {
        Pair pair = Open(stage);
        stage.Receive("receive", pair);
        stage.Enter();
        pair.Client.Send(8 * BufferBytes);
        stage.Enter();
        stage.NoteOverflowFlag();
        stage.Take();
        pair.Client.Send(1).Collect(1);
    }

    internal static void CompletionsOfOthersFillTheQueue(Stage stage)
    {
        Pair pair = Open(stage);
        Fill(stage);
        pair.Client.Send(100);
        stage.Receive("receive", pair).Collect(9);
        stage.NoteWaitingBytes(pair);
    }

    internal static void AnOverflowThatWasNotFlushedEndsReceivesAlsoInAnEmptyQueue(Stage stage)
    {
        Pair pair = Open(stage);
        stage.Receive("receive", pair);
        Fill(stage);
        stage.Nop("one too many").Enter().Take();
        stage.NoteOverflowFlag();
        pair.Client.Send(10);
        stage.Enter().Take();
        stage.Collect(0);
    }

    internal static void AnOverflowEndsReceivesAlsoWhereTheEnterSubmits(Stage stage)
    {
        Pair pair = Open(stage);
        Fill(stage);
        stage.Nop("one too many").Enter().Take();
        pair.Client.Send(10);
        stage.Receive("receive", pair).Enter().Take();
        stage.Collect(0);
    }

    internal static void AFullQueueEndsAnAcceptWithItsConnection(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        ListenPlace listener = stage.Listen();
        Fill(stage);
        stage.ConnectTo(listener);
        stage.ConnectTo(listener);
        stage.Accept("accept", listener).Collect(9);
        stage.Accept("accept again", listener).Collect(1);
    }

    internal static void AFullQueueEndsAPoll(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter);
        stage.Enter();
        Fill(stage);
        stage.Write(counter).Collect(9);
        stage.Write(counter).Collect(0);
    }

    internal static void ErrorsAndEndsOverflowAsTheyAre(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        Pair one = stage.Connect(16, BufferBytes);
        Pair other = stage.Connect();
        stage.Receive("receive one", one);
        stage.Receive("receive other", other);
        stage.Enter();
        Fill(stage);
        one.Client.Finish();
        other.Client.Reset().Collect(10);
    }

    private static Pair Open(Stage stage)
    {
        stage.OpenRing(sqEntries: 8, cqEntries: 8);
        stage.Lend(16, BufferBytes);
        return stage.Connect();
    }

    private static void Fill(Stage stage)
    {
        for (int index = 0; index < 8; index++)
        {
            stage.Nop($"nop {index}");
        }

        stage.Enter();
    }
}

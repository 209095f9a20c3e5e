namespace Ioxide.Simulation;

/// <summary>Receives that run out of buffers.</summary>
internal static class ExhaustionScripts
{
    private const int BufferBytes = 64;

    internal static void AnEmptyGroupFailsAtOnceOnAnIdleSocket(Stage stage)
    {
        LentBuffers buffers = LendNone(stage);
        Pair pair = stage.Connect();
        stage.Receive("receive", pair).Collect(1);
        buffers.Return(1);
        stage.Receive("receive again", pair).Collect(0);
        pair.Client.Send(1).Collect(1);
    }

    internal static void PollingFirstOnAnEmptyGroupAndAnIdleSocket(Stage stage)
    {
        LendNone(stage);
        Pair pair = stage.Connect();
        stage.Receive("receive", pair, pollsFirst: true).Collect(0);
        pair.Client.Send(1).Collect(1);
    }

    internal static void PollingFirstOnAnEmptyGroupWithDataThatWaits(Stage stage)
    {
        LendNone(stage);
        Pair pair = stage.Connect();
        pair.Client.Send(1);
        stage.Receive("receive", pair, pollsFirst: true).Collect(1);
    }

    internal static void PollingFirstFindsTheBufferThatIsLentMeanwhile(Stage stage)
    {
        LentBuffers buffers = LendNone(stage);
        Pair pair = stage.Connect();
        stage.Receive("receive", pair, pollsFirst: true).Collect(0);
        buffers.Return(1);
        pair.Client.Send(1).Collect(1);
    }

    internal static void AnEmptyGroupFailsAlsoWithoutMultishot(Stage stage)
    {
        LendNone(stage);
        Pair pair = stage.Connect();
        stage.Receive("receive", pair, isMultishot: false).Collect(1);
    }

    internal static void AnUnknownGroupReadsAsExhaustion(Stage stage)
    {
        Pair pair = stage.Connect(2, BufferBytes);
        stage.Receive("receive", pair, group: 7).Collect(1);
        pair.Client.Send(10);
        stage.Receive("receive again", pair, group: 7).Collect(1);
        stage.NoteWaitingBytes(pair);
    }

    internal static void TheGroupRunsDryInTheMiddle(Stage stage)
    {
        Pair pair = stage.Arm(2, BufferBytes);
        pair.Client.Send(200).Collect(3);
        stage.NoteWaitingBytes(pair);
    }

    internal static void TheGroupRunsDryExactly(Stage stage)
    {
        Pair pair = stage.Arm(2, BufferBytes);
        pair.Client.Send(2 * BufferBytes).Collect(2);
        pair.Client.Send(1).Collect(1);
    }

    internal static void TheGroupRunsDryExactlyOnWhatWaited(Stage stage)
    {
        Pair pair = stage.Connect(2, BufferBytes);
        pair.Client.Send(2 * BufferBytes);
        stage.Receive("receive", pair).Collect(2);
    }

    internal static void BuffersThatComeBackMeanwhileKeepItGoing(Stage stage)
    {
        Pair pair = stage.Arm(2, BufferBytes, out LentBuffers buffers);
        pair.Client.Send(2 * BufferBytes).Collect(2);
        buffers.Return(1);
        pair.Client.Send(1).Collect(1);
    }

    internal static void ArmedAgainItGoesOnWhereItStopped(Stage stage)
    {
        LentBuffers buffers = stage.Lend(4, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Send(1000);
        for (int round = 0; round < 4; round++)
        {
            stage.Receive($"receive {round}", pair).Collect(round == 3 ? 4 : 5);
            buffers.Return(buffers.HeldCount);
        }
    }

    internal static void ArmedAgainWithFewerBuffersItTakesAsMany(Stage stage)
    {
        LentBuffers buffers = stage.Lend(4, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Send(500);
        stage.Receive("receive", pair).Collect(5);
        buffers.Return(2);
        stage.Receive("receive again", pair).Collect(3);
        stage.NoteWaitingBytes(pair);
    }

    internal static void TwoSocketsStarveTogether(Stage stage)
    {
        LentBuffers buffers = stage.Lend(2, BufferBytes);
        Pair one = stage.Connect();
        Pair other = stage.Connect();
        stage.Receive("receive one", one).Receive("receive other", other).Collect(0);
        one.Client.Send(100);
        other.Client.Send(100).Collect(3);
        buffers.Return(2);
        stage.Receive("receive other again", other).Collect(2);
    }

    internal static void AnotherGroupIsNotTouched(Stage stage)
    {
        LendNone(stage);
        stage.Lend(2, BufferBytes, group: 1);
        Pair pair = stage.Connect();
        stage.Receive("receive", pair).Collect(1);
        stage.Receive("receive again", pair, group: 1);
        pair.Client.Send(70).Collect(2);
    }

    internal static void AGroupThatIsTakenBackIsUnknown(Stage stage)
    {
        LentBuffers buffers = stage.Lend(2, BufferBytes);
        Pair pair = stage.Connect();
        stage.TakeBack(buffers);
        stage.Receive("receive", pair).Collect(1);
        stage.Lend(2, BufferBytes);
        stage.Receive("receive again", pair);
        pair.Client.Send(10).Collect(1);
    }

    internal static void AGroupThatExistsIsRefused(Stage stage) => stage.LendTwice(stage.Lend(2, BufferBytes));

    private static LentBuffers LendNone(Stage stage, ushort group = 0)
    {
        LentBuffers buffers = stage.Lend(1, BufferBytes, group);
        Pair pair = stage.Connect();
        pair.Client.Send(1);
        stage.Receive("receive that empties the group", pair, group, isMultishot: false).Collect(1);
        return buffers;
    }
}

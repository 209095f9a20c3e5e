namespace Ioxide.Simulation;

/// <summary>What a receive says when the peer ends or resets the connection.</summary>
internal static class EndScripts
{
    private const int BufferBytes = 64;

    internal static void TheEndComesAlone(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Finish().Collect(1);
    }

    internal static void TheEndDoesNotCountAmongTheBytesThatWait(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.NoteWaitingBytes(pair);
        pair.Client.Send(10);
        stage.NoteWaitingBytes(pair);
        pair.Client.Finish();
        stage.NoteWaitingBytes(pair);
    }

    internal static void TheEndIsThereBeforeTheReceive(Stage stage)
    {
        Pair pair = stage.Connect(4, BufferBytes);
        pair.Client.Finish();
        stage.Receive("receive", pair).Collect(1);
    }

    internal static void TheEndComesBehindData(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Send(100);
        pair.Client.Finish().Collect(3);
    }

    internal static void TheEndComesBehindAFullBuffer(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Send(BufferBytes);
        pair.Client.Finish().Collect(2);
    }

    internal static void DataAndTheEndAreThereBeforeTheReceive(Stage stage)
    {
        Pair pair = stage.Connect(4, BufferBytes);
        pair.Client.Send(100);
        pair.Client.Finish();
        stage.Receive("receive", pair).Collect(3);
    }

    internal static void TheEndBehindTheLastBufferReadsAsExhaustion(Stage stage)
    {
        Pair pair = stage.Arm(2, BufferBytes, out LentBuffers buffers);
        stage.Collect(0);
        pair.Client.Send(2 * BufferBytes);
        pair.Client.Finish().Collect(3);
        buffers.Return(2);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void TheEndWithoutABufferReadsAsExhaustion(Stage stage)
    {
        Pair pair = stage.Arm(1, BufferBytes, out LentBuffers buffers);
        pair.Client.Send(BufferBytes).Collect(1);
        pair.Client.Finish().Collect(1);
        buffers.Return(1);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void TheEndTakesNoBuffer(Stage stage)
    {
        Pair one = stage.Connect(1, BufferBytes);
        Pair other = stage.Connect();
        one.Client.Finish();
        stage.Receive("receive one", one).Collect(1);
        other.Client.Send(1);
        stage.Receive("receive other", other).Collect(1);
    }

    internal static void TheEndIsSaidAgain(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish().Collect(1);
        stage.Receive("receive again", pair).Collect(1);
        stage.Receive("receive a third time", pair, pollsFirst: true).Collect(1);
    }

    internal static void AResetIsAnErrorAndThenTheEnd(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Reset().Collect(1);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void AResetIsThereBeforeTheReceive(Stage stage)
    {
        Pair pair = stage.Connect(4, BufferBytes);
        pair.Client.Reset();
        stage.Receive("receive", pair).Collect(1);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void AResetBehindDataThatWasReceived(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Send(100).Collect(2);
        pair.Client.Reset().Collect(1);
    }

    internal static void AResetBehindDataThatWaits(Stage stage)
    {
        Pair pair = stage.Connect(4, BufferBytes);
        pair.Client.Send(100);
        pair.Client.Reset();
        stage.Receive("receive", pair).Collect(3);
    }

    internal static void AResetBehindDataInOneEnter(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Send(100);
        pair.Client.Reset().Collect(2);
        stage.Send("send", pair, 10).Collect(1);
    }

    internal static void AResetWithoutABufferReadsAsExhaustion(Stage stage)
    {
        Pair pair = stage.Arm(1, BufferBytes, out LentBuffers buffers);
        pair.Client.Send(BufferBytes).Collect(1);
        pair.Client.Reset().Collect(1);
        buffers.Return(1);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void AResetBehindTheLastBufferInOneEnter(Stage stage)
    {
        Pair pair = stage.Arm(1, BufferBytes, out LentBuffers buffers);
        stage.Collect(0);
        pair.Client.Send(BufferBytes);
        pair.Client.Reset().Collect(2);
        buffers.Return(1);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void AResetBehindTheLastBufferThatWaits(Stage stage)
    {
        Pair pair = stage.Connect(1, BufferBytes);
        pair.Client.Send(BufferBytes);
        pair.Client.Reset();
        stage.NoteWaitingBytes(pair);
        stage.Receive("receive", pair).Collect(2);
    }

    internal static void AResetBehindDataIsSeenBySendsFirst(Stage stage)
    {
        Pair pair = stage.Connect(4, BufferBytes);
        pair.Client.Send(10);
        pair.Client.Reset();
        stage.Send("send", pair, 10).Receive("receive", pair).Collect(3);
    }

    internal static void AResetBehindTheEnd(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish().Collect(1);
        pair.Client.Reset();
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void AResetBehindTheEndInOneEnter(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Finish();
        pair.Client.Reset().Collect(1);
        stage.Send("send", pair, 10).Collect(1);
    }
}

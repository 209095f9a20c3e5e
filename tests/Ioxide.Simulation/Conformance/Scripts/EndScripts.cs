namespace Ioxide.Simulation;

/// <summary>What a receive says when the peer ends or resets the connection.</summary>
internal static class EndScripts
{
    private const int BufferBytes = 64;

    internal static void TheEndComesAlone(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Finish();
        stage.Collect(1);
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
        stage.Lend(4, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Finish();
        stage.Receive("receive", pair);
        stage.Collect(1);
    }

    internal static void TheEndComesBehindData(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Send(100);
        pair.Client.Finish();
        stage.Collect(3);
    }

    internal static void TheEndComesBehindAFullBuffer(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Send(BufferBytes);
        pair.Client.Finish();
        stage.Collect(2);
    }

    internal static void DataAndTheEndAreThereBeforeTheReceive(Stage stage)
    {
        stage.Lend(4, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Send(100);
        pair.Client.Finish();
        stage.Receive("receive", pair);
        stage.Collect(3);
    }

    internal static void TheEndBehindTheLastBufferReadsAsExhaustion(Stage stage)
    {
        Pair pair = stage.Arm(2, BufferBytes, out LentBuffers buffers);
        stage.Collect(0);
        pair.Client.Send(2 * BufferBytes);
        pair.Client.Finish();
        stage.Collect(3);
        buffers.Return(2);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void TheEndWithoutABufferReadsAsExhaustion(Stage stage)
    {
        Pair pair = stage.Arm(1, BufferBytes, out LentBuffers buffers);
        pair.Client.Send(BufferBytes);
        stage.Collect(1);
        pair.Client.Finish();
        stage.Collect(1);
        buffers.Return(1);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void TheEndTakesNoBuffer(Stage stage)
    {
        stage.Lend(1, BufferBytes);
        Pair one = stage.Connect();
        Pair other = stage.Connect();
        one.Client.Finish();
        stage.Receive("receive one", one);
        stage.Collect(1);
        other.Client.Send(1);
        stage.Receive("receive other", other);
        stage.Collect(1);
    }

    internal static void TheEndIsSaidAgain(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish();
        stage.Collect(1);
        stage.Receive("receive again", pair);
        stage.Collect(1);
        stage.Receive("receive a third time", pair, pollsFirst: true);
        stage.Collect(1);
    }

    internal static void AResetIsAnErrorAndThenTheEnd(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Reset();
        stage.Collect(1);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void AResetIsThereBeforeTheReceive(Stage stage)
    {
        stage.Lend(4, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Reset();
        stage.Receive("receive", pair);
        stage.Collect(1);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void AResetBehindDataThatWasReceived(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Send(100);
        stage.Collect(2);
        pair.Client.Reset();
        stage.Collect(1);
    }

    internal static void AResetBehindDataThatWaits(Stage stage)
    {
        stage.Lend(4, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Send(100);
        pair.Client.Reset();
        stage.Receive("receive", pair);
        stage.Collect(3);
    }

    internal static void AResetBehindDataInOneEnter(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Send(100);
        pair.Client.Reset();
        stage.Collect(2);
        stage.Send("send", pair, 10);
        stage.Collect(1);
    }

    internal static void AResetWithoutABufferReadsAsExhaustion(Stage stage)
    {
        Pair pair = stage.Arm(1, BufferBytes, out LentBuffers buffers);
        pair.Client.Send(BufferBytes);
        stage.Collect(1);
        pair.Client.Reset();
        stage.Collect(1);
        buffers.Return(1);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void AResetBehindTheLastBufferInOneEnter(Stage stage)
    {
        Pair pair = stage.Arm(1, BufferBytes, out LentBuffers buffers);
        stage.Collect(0);
        pair.Client.Send(BufferBytes);
        pair.Client.Reset();
        stage.Collect(2);
        buffers.Return(1);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void AResetBehindTheLastBufferThatWaits(Stage stage)
    {
        stage.Lend(1, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Send(BufferBytes);
        pair.Client.Reset();
        stage.NoteWaitingBytes(pair);
        stage.Receive("receive", pair);
        stage.Collect(2);
    }

    internal static void AResetBehindDataIsSeenBySendsFirst(Stage stage)
    {
        stage.Lend(4, BufferBytes);
        Pair pair = stage.Connect();
        pair.Client.Send(10);
        pair.Client.Reset();
        stage.Send("send", pair, 10);
        stage.Receive("receive", pair);
        stage.Collect(3);
    }

    internal static void AResetBehindTheEnd(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish();
        stage.Collect(1);
        pair.Client.Reset();
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void AResetBehindTheEndInOneEnter(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Finish();
        pair.Client.Reset();
        stage.Collect(1);
        stage.Send("send", pair, 10);
        stage.Collect(1);
    }
}

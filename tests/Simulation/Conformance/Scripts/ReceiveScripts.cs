namespace Ioxide.Simulation;

/// <summary>Receives with enough buffers.</summary>
internal static class ReceiveScripts
{
    private const int BufferBytes = 256;

    internal static void NothingIsSent(Stage stage)
    {
        _ = stage.Arm(8, BufferBytes);
        stage.Collect(0);
    }

    internal static void DataIsThereBeforeTheReceive(Stage stage)
    {
        Pair pair = stage.Connect(8, BufferBytes);
        pair.Client.Send(100);
        stage.Receive("receive", pair).Collect(1);
    }

    internal static void DataComesAfterTheReceive(Stage stage)
    {
        Pair pair = stage.Arm(8, BufferBytes);
        stage.Collect(0);
        pair.Client.Send(100).Collect(1);
    }

    internal static void SeveralSendsBeforeOneEnterAreOneReceive(Stage stage)
    {
        Pair pair = stage.Arm(8, BufferBytes);
        stage.Collect(0);
        pair.Client.Send(100);
        pair.Client.Send(50);
        pair.Client.Send(100).Collect(1);
    }

    internal static void SeveralSendsAreReceivedOneByOne(Stage stage)
    {
        Pair pair = stage.Arm(8, BufferBytes);
        for (int count = 1; count <= 5; count++)
        {
            pair.Client.Send(count).Collect(1);
        }
    }

    internal static void MoreThanABufferTakesSeveral(Stage stage)
    {
        Pair pair = stage.Arm(8, BufferBytes);
        pair.Client.Send(1000).Collect(4);
        pair.Client.Send(BufferBytes + 1).Collect(2);
    }

    internal static void ExactlyABufferTakesOne(Stage stage)
    {
        Pair pair = stage.Arm(8, BufferBytes);
        pair.Client.Send(BufferBytes).Collect(1);
        pair.Client.Send(BufferBytes - 1).Collect(1);
    }

    internal static void TwoFullBuffersWaitBeforeTheReceive(Stage stage)
    {
        Pair pair = stage.Connect(8, BufferBytes);
        pair.Client.Send(2 * BufferBytes);
        stage.Receive("receive", pair).Collect(2);
        pair.Client.Send(1).Collect(1);
    }

    internal static void OneByteAtATime(Stage stage)
    {
        Pair pair = stage.Arm(8, BufferBytes);
        pair.Client.Send(1).Collect(1);
        pair.Client.Send(1).Collect(1);
    }

    internal static void AReceiveThatIsNotMultishotTakesOneBuffer(Stage stage)
    {
        Pair pair = stage.Connect(8, BufferBytes);
        stage.Receive("receive", pair, isMultishot: false);
        pair.Client.Send(300).Collect(1);
        stage.NoteWaitingBytes(pair);
        stage.Receive("receive again", pair, isMultishot: false).Collect(1);
    }

    internal static void BuffersAreTakenInTheOrderInWhichTheyWereLent(Stage stage)
    {
        Pair pair = stage.Arm(4, BufferBytes, out LentBuffers buffers);
        pair.Client.Send(3 * BufferBytes).Collect(3);
        buffers.ReturnBackwards();
        pair.Client.Send(4 * BufferBytes).Collect(4);
    }

    internal static void ReturnedBuffersAreUsedAgainAndAgain(Stage stage)
    {
        Pair pair = stage.Arm(2, BufferBytes, out LentBuffers buffers);
        for (int round = 0; round < 5; round++)
        {
            pair.Client.Send(100 + round).Collect(1);
            buffers.Return(1);
        }
    }

    internal static void TwoSocketsShareAGroup(Stage stage)
    {
        Pair one = stage.Connect(8, BufferBytes);
        Pair other = stage.Connect();
        stage.Receive("receive one", one).Receive("receive other", other).Collect(0);
        other.Client.Send(300);
        one.Client.Send(10).Collect(3);
    }

    internal static void TwoGroupsAreTwo(Stage stage)
    {
        stage.Lend(2, BufferBytes);
        stage.Lend(2, 1024, group: 1);
        Pair one = stage.Connect();
        Pair other = stage.Connect();
        stage.Receive("receive one", one);
        stage.Receive("receive other", other, group: 1);
        one.Client.Send(300);
        other.Client.Send(1500).Collect(4);
    }

    internal static void PollingFirstDeliversWhatWaits(Stage stage)
    {
        Pair pair = stage.Connect(8, BufferBytes);
        pair.Client.Send(300);
        stage.Receive("receive", pair, pollsFirst: true).Collect(2);
        pair.Client.Send(5).Collect(1);
    }

    internal static void PollingFirstDeliversWhatComes(Stage stage)
    {
        Pair pair = stage.Connect(8, BufferBytes);
        stage.Receive("receive", pair, pollsFirst: true).Collect(0);
        pair.Client.Send(300).Collect(2);
    }

    internal static void ALongReceiveLetsOthersHaveTheirTurn(Stage stage)
    {
        Pair one = stage.Connect(128, 16);
        Pair other = stage.Connect();
        stage.Receive("one", one).Receive("other", other).Collect(0);
        one.Client.Send(1000);
        other.Client.Send(1000).Collect(126);
    }

    internal static void ALongReceiveOfWhatWaitsLetsOthersHaveTheirTurn(Stage stage)
    {
        Pair one = stage.Connect(128, 16);
        Pair other = stage.Connect();
        one.Client.Send(1600);
        other.Client.Send(16);
        stage.Receive("long", one).Receive("short", other).Collect(101);
    }

    internal static void AReceiveThatIsLongerThanATurnIsGoneOnWithByTheNextEnter(Stage stage)
    {
        Pair pair = stage.Arm(128, 16);
        stage.Collect(0);
        pair.Client.Send(1600);
        for (int round = 0; round < 4; round++)
        {
            stage.Enter().Take();
        }
    }

    internal static void WhatWaitsForALongReceiveTakesSeveralTurnsToo(Stage stage)
    {
        Pair pair = stage.Connect(128, 16);
        pair.Client.Send(1600);
        stage.Receive("receive", pair);
        for (int round = 0; round < 4; round++)
        {
            stage.Enter().Take();
        }
    }

    internal static void AReceiveOnANumberThatIsNotOpenFails(Stage stage)
    {
        stage.Lend(2, BufferBytes);
        stage.Receive("receive", Stage.Nowhere(stage.Connect())).Collect(1);
    }

    internal static void NothingIsThereOnANonBlockingSocket(Stage stage)
    {
        Pair pair = stage.Connect(2, BufferBytes);
        stage.MakeNonBlocking(pair);
        stage.Receive("receive", pair).Collect(0);
        pair.Client.Send(100).Collect(1);
    }

    internal static void AReceiveThatPollsFirstWaitsOnANonBlockingSocket(Stage stage)
    {
        Pair pair = stage.Connect(2, BufferBytes);
        stage.MakeNonBlocking(pair);
        stage.Receive("receive", pair, isMultishot: false, pollsFirst: true).Collect(0);
        pair.Client.Send(100).Collect(1);
    }

    internal static void DataIsThereOnANonBlockingSocket(Stage stage)
    {
        Pair pair = stage.Connect(2, BufferBytes);
        stage.MakeNonBlocking(pair);
        pair.Client.Send(100);
        stage.Receive("receive", pair).Collect(1);
        stage.Collect(0);
    }
}

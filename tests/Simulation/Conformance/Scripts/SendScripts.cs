namespace Ioxide.Simulation;

/// <summary>Sends: whole, parked, broken.</summary>
internal static class SendScripts
{
    private const int LargeBytes = 1 << 20;

    internal static void ASmallSendIsOneCompletion(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, 1000).Collect(1);
        pair.Client.Read(1000);
    }

    internal static void SendsKeepTheirOrder(Stage stage)
    {
        Pair pair = stage.Connect();
        for (int index = 0; index < 5; index++)
        {
            stage.Send($"send {index}", pair, 100 + index);
        }

        stage.Collect(5);
        pair.Client.Read(510);
    }

    internal static void ASendOfNothingIsDoneAtOnce(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, 0).Collect(1);
        pair.Client.Glance();
    }

    internal static void VectorsAreSentInTheirOrder(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.SendVectors("send", pair, 1, 100, 0, 4096, 7).Collect(1);
        pair.Client.Read(4204);
    }

    internal static void ALargeSendParksAndGoesOn(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Drain("send", pair.Client);
    }

    internal static void LargeVectorsParkAndGoOn(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.SendVectors("send", pair, 100, LargeBytes, 1, LargeBytes).Collect(0);
        stage.Drain("send", pair.Client);
    }

    internal static void ALargeSendThatDoesNotWaitForAllIsShort(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes, waitsForAll: false).Collect(1);
        stage.NoteSentBytesAsRead("send", pair.Client);
        pair.Client.Glance();
    }

    internal static void MemoryThatChangesWhileASendIsParkedIsSentAsItIsThen(Stage stage)
    {
        Pair pair = stage.Connect();
        pair.Client.KeepsWhatItReads = true;
        stage.Send("send", pair, LargeBytes).Collect(0);
        ulong otherKey = stage.Overwrite("send");
        stage.Drain("send", pair.Client);
        stage.NoteWhereOverwritten(pair.Client, otherKey);
    }

    internal static void ASendIsReadWhenItIsSubmittedWhereThereIsRoom(Stage stage)
    {
        Pair pair = stage.Connect();
        pair.Client.KeepsWhatItReads = true;
        stage.Send("send", pair, 1000).Collect(1);
        ulong otherKey = stage.Overwrite("send");
        pair.Client.Read(1000);
        stage.NoteWhereOverwritten(pair.Client, otherKey);
    }

    internal static void AResetPeerIsOneErrorAndThenAnother(Stage stage)
    {
        Pair pair = stage.Connect();
        pair.Client.Reset();
        stage.Send("send", pair, 10).Collect(1);
        stage.Send("send again", pair, 10).Collect(1);
    }

    internal static void AReceiveTakesTheErrorBeforeTheSend(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Reset().Collect(1);
        stage.Send("send", pair, 10).Collect(1);
    }

    internal static void ASendTakesTheErrorBeforeTheReceive(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        pair.Client.Reset();
        stage.Send("send", pair, 10).Receive("receive", pair).Collect(2);
    }

    internal static void AnArmedReceiveAndASendShareOneError(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Reset();
        stage.Send("send", pair, 10).Collect(2);
    }

    internal static void APeerThatClosedAnswersByAReset(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Close().Collect(1);
        stage.Send("send", pair, 10).Collect(1);
        stage.Send("send again", pair, 10).Collect(1);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void APeerThatClosedAnswersByAResetAndTheReceiveComesFirst(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Close().Collect(1);
        stage.Send("send", pair, 10).Collect(1);
        stage.Receive("receive again", pair).Collect(1);
        stage.Send("send again", pair, 10).Collect(1);
    }

    internal static void AHalfClosedPeerStillTakesSends(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish().Collect(1);
        stage.Send("send", pair, 1000).Collect(1);
        pair.Client.Read(1000);
    }

    internal static void AHalfClosedPeerStillDrainsALargeSend(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes).Collect(0);
        pair.Client.Finish().Collect(1);
        stage.Drain("send", pair.Client);
    }

    internal static void ASendBehindAShutdownFails(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        stage.Send("send", pair, 10).Collect(1);
        pair.Client.Look();
    }

    internal static void AShutdownEndsAParkedSend(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        stage.Collect(1);
        stage.NoteSentBytesAsRead("send", pair.Client);
        pair.Client.Look();
    }

    internal static void AShutdownOfBothEndsAParkedSendAndTheReceive(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Collect(2);
        stage.NoteSentBytesAsRead("send", pair.Client);
    }

    internal static void AResetEndsAParkedSendWithWhatWasSent(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes).Collect(0);
        pair.Client.Reset().Collect(1);
        stage.Send("send again", pair, 10).Collect(1);
    }

    internal static void AResetEndsAParkedSendAndTakesTheErrorFromTheReceive(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        stage.Send("send", pair, LargeBytes).Collect(0);
        pair.Client.Reset().Collect(1);
        stage.Receive("receive", pair).Collect(1);
    }

    internal static void AResetEndsAnArmedReceiveAndASendThatWasParkedLater(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Send("send", pair, LargeBytes).Collect(0);
        pair.Client.Reset().Collect(2);
    }

    internal static void AResetEndsAParkedSendAndAReceiveThatWasArmedLater(Stage stage)
    {
        // Full: where a window is left, 200 ms later it is used, and a send that goes on waits behind the receive then.
        Pair pair = stage.Connect(4, 64);
        stage.FillUp(pair);
        stage.Send("send", pair, 1000).Collect(0);
        stage.Receive("receive", pair).Collect(0);
        pair.Client.Reset().Collect(2);
    }

    internal static void AResetEndsASendThatFoundNoRoom(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.FillUp(pair);
        stage.Send("send", pair, 1000).Collect(0);
        pair.Client.Reset().Collect(1);
        stage.Send("send again", pair, 10).Collect(1);
    }

    internal static void DataArrivesWhileASendIsParked(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes).Collect(0);
        pair.Client.Send(10).Collect(1);
        stage.Drain("send", pair.Client);
    }

    internal static void AClosedSocketGoesOnWithAParkedSend(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Close("close", pair).Collect(1);
        stage.Drain("send", pair.Client);
        pair.Client.Look();
    }

    internal static void ASendOnANumberThatIsNotOpenFails(Stage stage) => stage.Send("send", Stage.Nowhere(stage.Connect()), 10).Collect(1);

    internal static void APeerThatReadsDoesNotWakeAReceiveWithoutBuffers(Stage stage)
    {
        Pair pair = stage.Arm(1, 64);
        pair.Client.Send(64).Collect(1);
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Drain("send", pair.Client);
        pair.Client.Send(1).Collect(1);
    }

    internal static void AResetEndsASendThatWentOnBeforeTheReceiveThatWasArmedLater(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Receive("receive", pair).Collect(0);
        for (int round = 0; round < 3; round++)
        {
            pair.Client.Read(100_000);
            stage.Collect(0);
        }

        pair.Client.Reset().Collect(2);
    }

    internal static void AnEndThatComesWhileASendIsParkedDoesNotEndIt(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Send("send", pair, LargeBytes).Collect(0);
        pair.Client.Finish().Collect(1);
        pair.Client.Reset().Collect(1);
        stage.Send("send again", pair, 10).Receive("receive again", pair).Collect(2);
    }
}

namespace Ioxide.Simulation;

/// <summary>Cancels by user data, and what becomes of what they meet.</summary>
internal static class CancelScripts
{
    private const int LargeBytes = 1 << 20;

    internal static void AnIdleReceiveEndsBehindItsCancel(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        pair.Client.Glance();
    }

    internal static void AReceiveAndItsCancelInOneBatch(Stage stage)
    {
        _ = stage.Arm();
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
    }

    internal static void AReceiveWithDataAndItsCancelInOneBatch(Stage stage)
    {
        stage.Lend(4, 64);
        Pair pair = stage.Connect();
        pair.Client.Send(10);
        stage.Receive("receive", pair);
        stage.Cancel("cancel", "receive");
        stage.Collect(3);
    }

    internal static void AReceiveThatPollsFirstAndItsCancelInOneBatch(Stage stage)
    {
        stage.Lend(4, 64);
        Pair pair = stage.Connect();
        pair.Client.Send(10);
        stage.Receive("receive", pair, pollsFirst: true);
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        stage.NoteWaitingBytes(pair);
    }

    internal static void ASingleReceiveThatPollsFirstAndItsCancelInOneBatch(Stage stage)
    {
        stage.Lend(4, 64);
        Pair pair = stage.Connect();
        pair.Client.Send(10);
        stage.Receive("receive", pair, isMultishot: false, pollsFirst: true);
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
    }

    internal static void ALongReceiveIsCancelledInTheMiddle(Stage stage)
    {
        Pair pair = stage.Arm(128, 16);
        stage.Collect(0);
        pair.Client.Send(1600);
        stage.Enter();
        stage.Take();
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        stage.NoteWaitingBytes(pair);
    }

    internal static void ASingleReceiveThatWasWokenIsCancelled(Stage stage)
    {
        stage.Lend(4, 64);
        Pair pair = stage.Connect();
        stage.Receive("receive", pair, isMultishot: false);
        stage.Collect(0);
        pair.Client.Send(10);
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        stage.NoteWaitingBytes(pair);
    }

    internal static void AConnectAndItsCancelInOneBatch(Stage stage)
    {
        Place place = stage.Connect("connect", ConnectTarget.Accepting);
        stage.Cancel("cancel", "connect");
        stage.Collect(2);
        stage.Connected(place);
    }

    internal static void AConnectThatWasAnsweredIsCancelled(Stage stage)
    {
        Place place = stage.Connect("connect", ConnectTarget.Silent);
        stage.Collect(0);
        stage.AnswerLate(place);
        stage.Cancel("cancel", "connect");
        stage.Collect(2);
    }

    internal static void ASendThatFitsAndItsCancelInOneBatch(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, 100);
        stage.Cancel("cancel", "send");
        stage.Collect(2);
        pair.Client.Read(100);
    }

    internal static void AParkedSendThatWasWokenIsCancelled(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes);
        stage.Collect(0);
        int read = pair.Client.ReadSome(1 << 16);
        stage.Note(read > 0 ? "the client reads some" : "the client reads nothing");
        stage.Cancel("cancel", "send");
        stage.Collect(2);
    }

    internal static void AnAcceptWithClientsAndItsCancelInOneBatch(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.ConnectTo(listener);
        stage.Accept("accept", listener);
        stage.Cancel("cancel", "accept");
        stage.Collect(3);
    }

    internal static void DataThatComesBeforeTheCancelWaits(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Send(100);
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        stage.NoteWaitingBytes(pair);
        stage.Receive("receive again", pair);
        stage.Collect(2);
    }

    internal static void DataThatComesBehindTheCancelWaits(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        pair.Client.Send(10);
        stage.Collect(0);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void DataIsReceivedBeforeTheCancel(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Send(10);
        stage.Collect(1);
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
    }

    internal static void TheEndThatWasNotSeenWaits(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Finish();
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void TheErrorThatWasNotSeenWaits(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Reset();
        stage.Cancel("cancel", "receive");
        stage.Collect(2);
        stage.Receive("receive again", pair);
        stage.Collect(1);
    }

    internal static void TwoCancelsInOneBatch(Stage stage)
    {
        _ = stage.Arm();
        stage.Collect(0);
        stage.Cancel("cancel", "receive");
        stage.Cancel("cancel again", "receive");
        stage.Collect(3);
    }

    internal static void ACancelOfNobodyFindsNothing(Stage stage)
    {
        stage.Cancel("cancel", "nobody");
        stage.Collect(1);
    }

    internal static void ACancelBehindTheLastCompletionFindsNothing(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish();
        stage.Collect(1);
        stage.Cancel("cancel", "receive");
        stage.Collect(1);
    }

    internal static void ACancelOfANopFindsNothing(Stage stage)
    {
        stage.Nop();
        stage.Cancel("cancel", "nop");
        stage.Collect(2);
    }

    internal static void OfTwoReceivesOnlyOneIsCancelled(Stage stage)
    {
        stage.Lend(4, 64);
        Pair one = stage.Connect();
        Pair other = stage.Connect();
        stage.Receive("receive one", one);
        stage.Receive("receive other", other);
        stage.Cancel("cancel", "receive one");
        stage.Collect(2);
        other.Client.Send(1);
        stage.Collect(1);
    }

    internal static void AnAcceptIsCancelled(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Accept("accept", listener);
        stage.Collect(0);
        stage.Cancel("cancel", "accept");
        stage.Collect(2);
        stage.ConnectTo(listener);
        stage.Collect(0);
        stage.Accept("accept again", listener);
        stage.Collect(1);
    }

    internal static void APollIsCancelled(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter);
        stage.Collect(0);
        stage.Cancel("cancel", "poll");
        stage.Collect(2);
        stage.Write(counter);
        stage.Collect(0);
    }

    internal static void APollThatWasWokenIsCancelled(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter);
        stage.Collect(0);
        stage.Write(counter);
        stage.Cancel("cancel", "poll");
        stage.Collect(2);
    }

    internal static void AParkedSendSaysHowMuchThePeerGets(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes);
        stage.Collect(0);
        stage.Cancel("cancel", "send");
        stage.Collect(2);
        stage.NoteSentBytesAsRead("send", pair.Client);
        pair.Client.Glance();
    }

    internal static void ASendThatFoundNoRoomIsCancelled(Stage stage)
    {
        Pair pair = stage.Connect();
        int filled = stage.FillUp(pair);
        stage.Send("send", pair, 1000);
        stage.Collect(0);
        stage.Cancel("cancel", "send");
        stage.Collect(2);
        stage.NoteAsRead(filled, pair.Client);
        pair.Client.Glance();
    }

    internal static void AConnectIsCancelled(Stage stage)
    {
        stage.Connect("connect", ConnectTarget.Silent);
        stage.Collect(0);
        stage.Cancel("cancel", "connect");
        stage.Collect(2);
    }

    internal static void CancelAndCloseInOneChain(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        stage.Cancel("cancel", "receive", isLinked: true);
        stage.Close("close", pair);
        stage.Collect(3);
        pair.Client.Look();
    }

    internal static void TwoCancelsAndCloseInOneChain(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes);
        stage.Collect(0);
        stage.Cancel("cancel send", "send", isLinked: true);
        stage.Cancel("cancel receive", "receive", isLinked: true);
        stage.Close("close", pair);
        stage.Collect(5);
        stage.NoteSentBytesAsRead("send", pair.Client);
        pair.Client.Look();
    }

    internal static void CancelAndCloseInOneChainBesideAParkedSend(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes);
        stage.Collect(0);
        stage.Cancel("cancel receive", "receive", isLinked: true);
        stage.Close("close", pair);
        stage.Collect(3);
        stage.Drain("send", pair.Client);
        pair.Client.Look();
    }

    internal static void TheCancelAfterACloseFindsTheReceiveAllTheSame(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        stage.Close("close", pair);
        stage.Cancel("cancel", "receive");
        stage.Collect(3);
        pair.Client.Look();
    }

    internal static void AReceiveBehindItsCancelInOneChain(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Send(10);
        stage.Cancel("cancel", "receive", isLinked: true);
        stage.Receive("receive again", pair);
        stage.Collect(3);
    }

    internal static void CancelAndCloseInOneChainWithNothingArmed(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Cancel("cancel", "nobody", isLinked: true);
        stage.Close("close", pair);
        stage.Collect(2);
        pair.Client.Look();
    }

    internal static void CancelAndCloseInOneChainWithDataThatWaits(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Collect(0);
        pair.Client.Send(10);
        stage.Cancel("cancel", "receive", isLinked: true);
        stage.Close("close", pair);
        stage.Collect(3);
        pair.Client.Look();
    }

    internal static void ReceiveAndSendOfASocketAreCancelled(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes);
        stage.Collect(0);
        stage.Cancel("cancel send", "send");
        stage.Cancel("cancel receive", "receive");
        stage.Collect(4);
        stage.NoteSentBytesAsRead("send", pair.Client);
    }
}

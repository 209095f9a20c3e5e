namespace Ioxide.Simulation;

/// <summary>Cancels by user data, and what becomes of what they meet.</summary>
internal static class CancelScripts
{
    private const int LargeBytes = 1 << 20;

    internal static void AnIdleReceiveEndsBehindItsCancel(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Cancel("cancel", "receive").Collect(2);
        pair.Client.Glance();
    }

    internal static void AReceiveAndItsCancelInOneBatch(Stage stage)
    {
        _ = stage.Arm();
        stage.Cancel("cancel", "receive").Collect(2);
    }

    internal static void AReceiveWithDataAndItsCancelInOneBatch(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        pair.Client.Send(10);
        stage.Receive("receive", pair).Cancel("cancel", "receive").Collect(3);
    }

    internal static void AReceiveThatPollsFirstAndItsCancelInOneBatch(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        pair.Client.Send(10);
        stage.Receive("receive", pair, pollsFirst: true).Cancel("cancel", "receive").Collect(2);
        stage.NoteWaitingBytes(pair);
    }

    internal static void ASingleReceiveThatPollsFirstAndItsCancelInOneBatch(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        pair.Client.Send(10);
        stage.Receive("receive", pair, isMultishot: false, pollsFirst: true).Cancel("cancel", "receive").Collect(2);
    }

    internal static void ALongReceiveIsCancelledInTheMiddle(Stage stage)
    {
        Pair pair = stage.Arm(128, 16);
        stage.Collect(0);
        pair.Client.Send(1600);
        stage.Enter().Take();
        stage.Cancel("cancel", "receive").Collect(2);
        stage.NoteWaitingBytes(pair);
    }

    internal static void ASingleReceiveThatWasWokenIsCancelled(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        stage.Receive("receive", pair, isMultishot: false).Collect(0);
        pair.Client.Send(10);
        stage.Cancel("cancel", "receive").Collect(2);
        stage.NoteWaitingBytes(pair);
    }

    internal static void AConnectAndItsCancelInOneBatch(Stage stage)
    {
        Place place = stage.Connect("connect", ConnectTarget.Accepting);
        stage.Cancel("cancel", "connect").Collect(2);
        stage.Connected(place);
    }

    internal static void AConnectThatWasAnsweredIsCancelled(Stage stage)
    {
        Place place = stage.Connect("connect", ConnectTarget.Silent);
        stage.Collect(0);
        stage.AnswerLate(place);
        stage.Cancel("cancel", "connect").Collect(2);
    }

    internal static void ASendThatFitsAndItsCancelInOneBatch(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, 100).Cancel("cancel", "send").Collect(2);
        pair.Client.Read(100);
    }

    internal static void AParkedSendThatWasWokenIsCancelled(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes).Collect(0);
        int read = pair.Client.ReadSome(1 << 16);
        stage.Note(read > 0 ? "the client reads some" : "the client reads nothing");
        stage.Cancel("cancel", "send").Collect(2);
    }

    internal static void AnAcceptWithClientsAndItsCancelInOneBatch(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.ConnectTo(listener);
        stage.Accept("accept", listener).Cancel("cancel", "accept").Collect(3);
    }

    internal static void DataThatComesBeforeTheCancelWaits(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Send(100);
        stage.Cancel("cancel", "receive").Collect(2);
        stage.NoteWaitingBytes(pair);
        stage.Receive("receive again", pair).Collect(2);
    }

    internal static void DataThatComesBehindTheCancelWaits(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Cancel("cancel", "receive").Collect(2);
        pair.Client.Send(10).Collect(0);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void DataIsReceivedBeforeTheCancel(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Send(10).Collect(1);
        stage.Cancel("cancel", "receive").Collect(2);
    }

    internal static void TheEndThatWasNotSeenWaits(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Finish();
        stage.Cancel("cancel", "receive").Collect(2);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void TheErrorThatWasNotSeenWaits(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Reset();
        stage.Cancel("cancel", "receive").Collect(2);
        stage.Receive("receive again", pair).Collect(1);
    }

    internal static void TwoCancelsInOneBatch(Stage stage)
    {
        _ = stage.Armed();
        stage.Cancel("cancel", "receive").Cancel("cancel again", "receive").Collect(3);
    }

    internal static void ACancelOfNobodyFindsNothing(Stage stage) => stage.Cancel("cancel", "nobody").Collect(1);

    internal static void ACancelBehindTheLastCompletionFindsNothing(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish().Collect(1);
        stage.Cancel("cancel", "receive").Collect(1);
    }

    internal static void ACancelOfANopFindsNothing(Stage stage) => stage.Nop().Cancel("cancel", "nop").Collect(2);

    internal static void OfTwoReceivesOnlyOneIsCancelled(Stage stage)
    {
        Pair one = stage.Connect(4, 64);
        Pair other = stage.Connect();
        stage.Receive("receive one", one).Receive("receive other", other).Cancel("cancel", "receive one").Collect(2);
        other.Client.Send(1).Collect(1);
    }

    internal static void AnAcceptIsCancelled(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Accept("accept", listener).Collect(0);
        stage.Cancel("cancel", "accept").Collect(2);
        stage.ConnectTo(listener);
        stage.Collect(0);
        stage.Accept("accept again", listener).Collect(1);
    }

    internal static void APollIsCancelled(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter).Collect(0);
        stage.Cancel("cancel", "poll").Collect(2);
        stage.Write(counter).Collect(0);
    }

    internal static void APollThatWasWokenIsCancelled(Stage stage)
    {
        Place counter = stage.MakeEvent();
        stage.Poll("poll", counter).Collect(0);
        stage.Write(counter);
        stage.Cancel("cancel", "poll").Collect(2);
    }

    internal static void AParkedSendSaysHowMuchThePeerGets(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Cancel("cancel", "send").Collect(2);
        stage.NoteSentBytesAsRead("send", pair.Client);
        pair.Client.Glance();
    }

    internal static void ASendThatFoundNoRoomIsCancelled(Stage stage)
    {
        Pair pair = stage.Connect();
        int filled = stage.FillUp(pair);
        stage.Send("send", pair, 1000).Collect(0);
        stage.Cancel("cancel", "send").Collect(2);
        stage.NoteAsRead(filled, pair.Client);
        pair.Client.Glance();
    }

    internal static void AConnectIsCancelled(Stage stage)
    {
        stage.Connect("connect", ConnectTarget.Silent);
        stage.Collect(0);
        stage.Cancel("cancel", "connect").Collect(2);
    }

    internal static void CancelAndCloseInOneChain(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Cancel("cancel", "receive", isLinked: true).Close("close", pair).Collect(3);
        pair.Client.Look();
    }

    internal static void TwoCancelsAndCloseInOneChain(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Cancel("cancel send", "send", isLinked: true);
        stage.Cancel("cancel receive", "receive", isLinked: true).Close("close", pair).Collect(5);
        stage.NoteSentBytesAsRead("send", pair.Client);
        pair.Client.Look();
    }

    internal static void CancelAndCloseInOneChainBesideAParkedSend(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Cancel("cancel receive", "receive", isLinked: true).Close("close", pair).Collect(3);
        stage.Drain("send", pair.Client);
        pair.Client.Look();
    }

    internal static void TheCancelAfterACloseFindsTheReceiveAllTheSame(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Close("close", pair).Cancel("cancel", "receive").Collect(3);
        pair.Client.Look();
    }

    internal static void AReceiveBehindItsCancelInOneChain(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Send(10);
        stage.Cancel("cancel", "receive", isLinked: true).Receive("receive again", pair).Collect(3);
    }

    internal static void CancelAndCloseInOneChainWithNothingArmed(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Cancel("cancel", "nobody", isLinked: true).Close("close", pair).Collect(2);
        pair.Client.Look();
    }

    internal static void CancelAndCloseInOneChainWithDataThatWaits(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Send(10);
        stage.Cancel("cancel", "receive", isLinked: true).Close("close", pair).Collect(3);
        pair.Client.Look();
    }

    internal static void ReceiveAndSendOfASocketAreCancelled(Stage stage)
    {
        Pair pair = stage.Arm();
        stage.Send("send", pair, LargeBytes).Collect(0);
        stage.Cancel("cancel send", "send").Cancel("cancel receive", "receive").Collect(4);
        stage.NoteSentBytesAsRead("send", pair.Client);
    }
}

namespace Ioxide.Simulation;

/// <summary>Closing and shutting down: what the peer sees, and what goes on.</summary>
internal static class CloseScripts
{
    internal static void AnIdleSocketEndsTheStream(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Close("close", pair).Collect(1);
        pair.Client.Look();
    }

    internal static void ASecondCloseFails(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Close("close", pair).Close("close again", pair).Collect(2);
        pair.Client.Look();
    }

    internal static void AnArmedReceiveGoesOnAndThePeerSeesNoEnd(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Close("close", pair).Collect(1);
        pair.Client.Glance();
        pair.Client.Send(10).Collect(1);
        stage.Cancel("cancel", "receive").Collect(2);
        pair.Client.Look();
    }

    internal static void ANumberIsGivenAgainWhileTheOldReceiveGoesOn(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        Pair old = stage.Armed();
        stage.ConnectTo(listener);
        stage.FillNumbersUpTo(old);
        stage.Close("close", old).Collect(1);
        Pair fresh = stage.AcceptNow(listener);
        stage.Note(fresh.Number == old.Number ? "the number is given again" : "the number is another");
        stage.Receive("receive of the new one", fresh).Collect(0);
        fresh.Client.Send(20);
        old.Client.Send(10).Collect(2);
        stage.Cancel("cancel", "receive").Collect(2);
        old.Client.Look();
        fresh.Client.Glance();
    }

    internal static void AReceiveThatHasEndedHoldsNothing(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Finish().Collect(1);
        stage.Close("close", pair).Collect(1);
        pair.Client.Look();
    }

    internal static void UnreadBytesTurnTheEndIntoAReset(Stage stage)
    {
        Pair pair = stage.Connect();
        pair.Client.Send(10);
        stage.Close("close", pair).Collect(1);
        pair.Client.Look();
    }

    internal static void BytesThatWereReceivedDoNot(Stage stage)
    {
        Pair pair = stage.Arm();
        pair.Client.Send(10).Collect(1);
        stage.Cancel("cancel", "receive").Collect(2);
        stage.Close("close", pair).Collect(1);
        pair.Client.Look();
    }

    internal static void ALingerTimeOfZeroResets(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.ResetOnClose(pair);
        stage.Close("close", pair).Collect(1);
        pair.Client.Look();
    }

    internal static void ALingerTimeOfZeroResetsBehindTheLastReceive(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.ResetOnClose(pair);
        stage.Cancel("cancel", "receive", isLinked: true).Close("close", pair).Collect(3);
        pair.Client.Look();
    }

    internal static void WhatWasSentArrivesBeforeTheEnd(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Send("send", pair, 1000).Close("close", pair).Collect(2);
        pair.Client.Read(2000);
    }

    internal static void DataForAClosedSocketIsAnsweredByAReset(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.CloseNow(pair);
        pair.Client.Look();
        pair.Client.Send(10);
        pair.Client.Look();
    }

    internal static void ShuttingTheWritesDownLeavesTheReceive(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        stage.Collect(0);
        pair.Client.Look();
        pair.Client.Send(10).Collect(1);
        pair.Client.Finish().Collect(1);
    }

    internal static void ShuttingBothDownEndsTheReceive(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Collect(1);
        pair.Client.Look();
    }

    internal static void ShuttingBothDownLeavesWhatHasArrived(Stage stage)
    {
        Pair pair = stage.Connect(4, 64);
        pair.Client.Send(100);
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Receive("receive", pair).Collect(3);
        pair.Client.Look();
    }

    internal static void ShuttingBothDownInOneEnterWithData(Stage stage)
    {
        Pair pair = stage.Armed();
        pair.Client.Send(10);
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Collect(2);
        pair.Client.Look();
    }

    internal static void DataForASocketThatIsShutDown(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Collect(1);
        pair.Client.Send(10);
        stage.Receive("receive again", pair).Collect(1);
        pair.Client.Look();
    }

    internal static void ShuttingDownTwiceIsAllowed(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        pair.Client.Look();
    }

    internal static void AResetSocketCannotBeShutDown(Stage stage)
    {
        Pair pair = stage.Connect();
        pair.Client.Reset();
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
    }

    internal static void ASocketWhosePeerHasFinishedCanBeShutDown(Stage stage)
    {
        Pair pair = stage.Connect();
        pair.Client.Finish();
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        pair.Client.Look();
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
    }

    internal static void ASocketThatHasFinishedAndWhosePeerHasCannotBeShutDown(Stage stage)
    {
        Pair pair = stage.Connect();
        stage.Shutdown(pair, SocketConstants.ShutdownWrite);
        pair.Client.Look();
        pair.Client.Finish();
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Send("send", pair, 10).Collect(1);
    }

    internal static void ShuttingBothDownBehindTheLastBuffer(Stage stage)
    {
        Pair pair = stage.Arm(1, 64);
        pair.Client.Send(64).Collect(1);
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Collect(1);
    }

    internal static void ANumberThatIsNotOpenIsNotClosed(Stage stage) => stage.Close("close", Stage.Nowhere(stage.Connect())).Collect(1);

    internal static void ASecondDescriptorKeepsTheConnection(Stage stage)
    {
        Pair pair = stage.Armed();
        Place second = stage.Duplicate(pair);
        stage.Cancel("cancel", "receive", isLinked: true).Close("close", pair).Collect(3);
        pair.Client.Glance();
        stage.CloseNow(second);
        pair.Client.Look();
    }

    internal static void ShutDownAndThenClosed(Stage stage)
    {
        Pair pair = stage.Armed();
        stage.Shutdown(pair, SocketConstants.ShutdownBoth);
        stage.Cancel("cancel", "receive").Collect(2);
        stage.Close("close", pair).Collect(1);
        pair.Client.Look();
    }

    internal static void TheErrorOfAResetIsDroppedByAClose(Stage stage)
    {
        Pair pair = stage.Connect();
        pair.Client.Reset();
        stage.Close("close", pair).Collect(1);
    }
}

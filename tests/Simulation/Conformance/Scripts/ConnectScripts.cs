namespace Ioxide.Simulation;

/// <summary>Connects.</summary>
internal static class ConnectScripts
{
    internal static void AConnectSucceedsAndTheConnectionWorks(Stage stage)
    {
        stage.Lend(4, 64);
        Place place = stage.Connect("connect", ConnectTarget.Accepting);
        stage.Collect(1);
        Pair pair = stage.Connected(place);
        stage.Send("send", pair, 100).Receive("receive", pair).Collect(1);
        pair.Client.Read(100);
        pair.Client.Send(50).Collect(1);
        pair.Client.Finish().Collect(1);
    }

    internal static void AConnectAndANopInOneBatch(Stage stage)
    {
        Place place = stage.Connect("connect", ConnectTarget.Accepting);
        stage.Nop().Collect(2);
        stage.Connected(place);
    }

    internal static void ARefusedConnectAndANopInOneBatch(Stage stage)
    {
        stage.Connect("connect", ConnectTarget.Refusing);
        stage.Nop().Collect(2);
    }

    internal static void AConnectIsAnsweredLate(Stage stage)
    {
        Place place = stage.Connect("connect", ConnectTarget.Silent);
        stage.Collect(0);
        stage.AnswerLate(place);
        stage.Collect(1);
    }

    internal static void AConnectIsRefused(Stage stage)
    {
        stage.Connect("connect", ConnectTarget.Refusing);
        stage.Collect(1);
    }

    internal static void AConnectThatHasEndedIsNotFoundByACancel(Stage stage)
    {
        stage.Connect("connect", ConnectTarget.Refusing);
        stage.Collect(1);
        stage.Cancel("cancel", "connect").Collect(1);
    }

    internal static void AClosedSocketIsNotConnected(Stage stage)
    {
        Place place = stage.Connect("connect", ConnectTarget.Silent);
        stage.Collect(0);
        stage.Close("close", place).Collect(1);
        stage.Cancel("cancel", "connect").Collect(2);
    }
}

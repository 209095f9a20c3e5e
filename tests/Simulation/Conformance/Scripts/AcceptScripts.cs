namespace Ioxide.Simulation;

/// <summary>Accepts.</summary>
internal static class AcceptScripts
{
    internal static void OneClientWaits(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.ConnectTo(listener);
        stage.Accept("accept", listener).Collect(1);
    }

    internal static void SeveralClientsWaitAndAreAcceptedInOrder(Stage stage)
    {
        stage.Lend(8, 64);
        ListenPlace listener = stage.Listen();
        Client[] clients = [.. Enumerable.Range(0, 4).Select(_ => stage.ConnectTo(listener)!)];
        stage.Accept("accept", listener).Collect(4);
        foreach (Client client in clients)
        {
            client.Send(10 + client.Number);
            stage.Receive($"receive {client.Number}", client.Pair!).Collect(1);
        }
    }

    internal static void ClientsComeLater(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Accept("accept", listener).Collect(0);
        stage.ConnectTo(listener);
        stage.Collect(1);
        stage.ConnectTo(listener);
        stage.ConnectTo(listener);
        stage.Collect(2);
    }

    internal static void AnAcceptThatIsNotMultishotTakesOne(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.ConnectTo(listener);
        stage.ConnectTo(listener);
        stage.Accept("accept", listener, isMultishot: false).Collect(1);
        stage.Accept("accept again", listener, isMultishot: false).Collect(1);
        stage.Accept("accept a third time", listener, isMultishot: false).Collect(0);
        stage.ConnectTo(listener);
        stage.Collect(1);
    }

    internal static void DataIsThereBeforeTheAccept(Stage stage)
    {
        stage.Lend(4, 64);
        ListenPlace listener = stage.Listen();
        Client client = stage.ConnectTo(listener)!;
        client.Send(10);
        client.Finish();
        stage.Accept("accept", listener).Collect(1);
        stage.Receive("receive", client.Pair!).Collect(2);
    }

    internal static void AClientThatResetIsAcceptedAllTheSame(Stage stage)
    {
        stage.Lend(4, 64);
        ListenPlace listener = stage.Listen();
        Client client = stage.ConnectTo(listener)!;
        stage.ConnectTo(listener);
        client.Reset();
        stage.Accept("accept", listener).Collect(2);
        stage.Receive("receive", client.Pair!).Collect(1);
    }

    internal static void AClosedListenerGoesOnWhileAnAcceptIsArmed(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Accept("accept", listener).Collect(0);
        stage.Close("close", listener).Collect(1);
        stage.ConnectTo(listener);
        stage.Collect(1);
        stage.Cancel("cancel", "accept").Collect(2);
        stage.ConnectTo(listener);
    }

    internal static void AClosedListenerRefuses(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Close("close", listener).Collect(1);
        stage.ConnectTo(listener);
    }

    internal static void AClosedListenerResetsWhoWaited(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        Client client = stage.ConnectTo(listener)!;
        stage.Close("close", listener).Collect(1);
        client.Look();
    }

    internal static void CancelAndCloseOfAListenerInOneChain(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Accept("accept", listener).Collect(0);
        stage.Cancel("cancel", "accept", isLinked: true).Close("close", listener).Collect(3);
        stage.ConnectTo(listener);
    }

    internal static void WhoComesBetweenTheCancelAndTheNextAcceptWaits(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Accept("accept", listener).Collect(0);
        stage.ConnectTo(listener);
        stage.Cancel("cancel", "accept").Collect(2);
        stage.Accept("accept again", listener).Collect(1);
    }

    internal static void ManyClientsInOneEnter(Stage stage)
    {
        ListenPlace listener = stage.Listen();
        stage.Accept("accept", listener);
        stage.Enter();
        for (int index = 0; index < 12; index++)
        {
            stage.ConnectTo(listener);
        }

        stage.Enter().Take();
    }
}

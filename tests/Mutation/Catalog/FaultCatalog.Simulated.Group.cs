namespace Ioxide.Mutation;

/// <summary>Mistakes about several reactors: hand-over, rescue, changing the reactor, a stop with clients in queues.</summary>
internal static partial class FaultCatalog
{
    private static readonly Fault[] s_group =
    [
        Runtime("connections on their way to a reactor do not count there",
            ("Acceptor.TryHandOver", "target.Load.Reserve();", "if (!{active}) target.Load.Reserve();"),
            ("Acceptor.Arrive", "target.Load.ReleaseReservation();", "if (!{active}) target.Load.ReleaseReservation();")),
        Runtime("a connection that has come to its reactor counts as on its way",
            ("Acceptor.Arrive", "target.Load.ReleaseReservation();",
                "if (!{active} || handed % 2 == 0) target.Load.ReleaseReservation();")),
        Runtime("a handed connection is started in the name of who accepted it",
            ("Acceptor.Arrive", "StartConnection(target,", "StartConnection({active} ? reactor : target,")),
        Runtime("nobody accepts for a stuck reactor",
            ("RingListener.AcceptFor", "if (ReferenceEquals(acceptor.Reactor, stuck))", "if (ReferenceEquals(acceptor.Reactor, stuck) && !{active})")),
        Runtime("a rescue takes one client",
            ("Acceptor.Rescue", "count < RescueBatch;", "count < ({active} ? 1 : RescueBatch);")),
        Runtime("who stops accepting for a reactor leaves the clients in its queue",
            ("Acceptor.StopFromOutside", "count < listener.Backlog;", "count < ({active} ? 0 : listener.Backlog);")),
        Runtime("a switch to another reactor stays where it is",
            ("SwitchToReactor.IsCompleted", "reactor is null or { IsCurrent: true };", "{active} || reactor is null or { IsCurrent: true };")),
    ];
}

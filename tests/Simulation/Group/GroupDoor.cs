using System.Net;
using System.Runtime.CompilerServices;

namespace Ioxide.Simulation;

/// <summary>What a run has to know of listeners and loads, and nothing else asks for.</summary>
internal static class GroupDoor
{
    /// <summary>The shares of a listener, by reactor.</summary>
    internal static IReadOnlyList<Acceptor> AcceptorsOf(RingListener listener) => Acceptors(listener);

    [UnsafeAccessor(UnsafeAccessorKind.Constructor)]
    internal static extern RingListener MakeListener(
        ReactorGroup group, EndPoint endPoint, Action<RingConnection> onAccepted, RingListenOptions options, string? socketFile);

    [UnsafeAccessor(UnsafeAccessorKind.Method)]
    internal static extern bool Listen(RingListener listener, List<int> descriptors);

    [UnsafeAccessor(UnsafeAccessorKind.Method)]
    internal static extern Task StartAcceptorAsync(RingListener listener, Reactor reactor, int descriptor, bool handsOver);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_acceptors")]
    private static extern ref List<Acceptor> Acceptors(RingListener listener);
}

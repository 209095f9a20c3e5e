using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Net.WebSockets;

namespace Ioxide.Soak;

/// <summary>Sessions of one load with the server, one after the other on a thread of its own, while the gate is open.</summary>
/// <param name="name">Of the load.</param>
/// <param name="number">Of the worker.</param>
/// <param name="seed">Of its draws.</param>
/// <param name="surroundings">What all work with.</param>
/// <param name="session">Connects, asks, checks and leaves; ends soon after the gate closed.</param>
internal sealed class Worker(string name, int number, int seed, Surroundings surroundings, Action<Worker> session)
{
    private const int PauseAfterRefusalMs = 20;

    private Peer? _peer;
    private bool _meetsRestarts;

    internal Random Random { get; } = new(seed);

    internal Surroundings Surroundings => surroundings;

    internal Gate Gate => surroundings.Gate;

    /// <summary>Runs until the gate ends.</summary>
    internal void Run()
    {
        while (Gate.Enter())
        {
            bool isTurnedAway = false;
            try
            {
                _peer = null;
                session(this);
            }
            catch (Exception exception) when (_meetsRestarts && (_peer?.ReplyBytes ?? 0) == 0 && Peer.IsEnd(exception))
            {
                // Idle connections are closed when a host stops, and for a moment nobody listens; between the last accept of an old listener
                // and its close, the kernel may have completed a handshake.
                surroundings.Counters.AddTurnedAway();
                isTurnedAway = true;
            }
            catch (Exception exception) when (exception is SocketException or IOException or WebSocketException or HttpRequestException
                or OperationCanceledException or ObjectDisposedException or InvalidDataException)
            {
                surroundings.Counters.Add($"{name} {number}", exception);
            }
            finally
            {
                Gate.Leave();
            }

            if (isTurnedAway)
            {
                Thread.Sleep(PauseAfterRefusalMs);
            }
        }
    }

    /// <summary>Connects to the application that stays.</summary>
    internal Peer Connect(int receiveBufferBytes = 0) => Peer.Connect(surroundings.Main, receiveBufferBytes, Surroundings.PatienceMs);

    /// <summary>Connects to what is restarted: it may turn away who has had no byte of an answer.</summary>
    internal Peer ConnectToRestarted(IPEndPoint endPoint)
    {
        _meetsRestarts = true;
        return _peer = Peer.Connect(endPoint, patienceMs: Surroundings.PatienceMs);
    }

    /// <summary>Counts an answer that came whole.</summary>
    internal void AddAnswer() => surroundings.Counters.AddAnswer(name);
}

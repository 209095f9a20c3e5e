using System.Net;

namespace Ioxide.Simulation;

/// <summary>A listener of a script and the clients that it has not accepted.</summary>
internal sealed class ListenPlace(int number, string name, EndPoint endPoint) : Place(number, name)
{
    internal EndPoint EndPoint => endPoint;

    /// <summary>Clients in the order in which they connected, which is the order in which they are accepted.</summary>
    internal Queue<Client> Waiting { get; } = new();
}

namespace Ioxide.Simulation;

/// <summary>The server's end of a connection, and who is at the other end.</summary>
internal sealed class Pair(int number, Client client) : Place(number, $"server {client.Number}")
{
    internal Client Client => client;

    /// <summary>Bytes that receives brought so far.</summary>
    internal long ReceivedBytes { get; set; }

    /// <summary>Bytes that sends were given so far.</summary>
    internal long SentBytes { get; set; }
}

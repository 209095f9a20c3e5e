using System.Net;
using System.Net.Sockets;

namespace Ioxide.Files.Tests;

/// <summary>A connection that has said nearly nothing costs little, whoever waits for the rest of its request.</summary>
/// <remarks>Alone: what it counts is the memory of the process.</remarks>
[CollectionDefinition(nameof(ConnectionMemoryTests), DisableParallelization = true)]
[Collection(nameof(ConnectionMemoryTests))]
public class ConnectionMemoryTests
{
    private const int ConnectionCount = 2000;

    [Fact]
    public async Task AConnectionThatSentOneByteCostsNoMoreThanTheServersOverSockets()
    {
        using TestFolder folder = new TestFolder().With("a.txt", Payload.Of(100));
        Dictionary<Way, long> bytes = [];
        foreach (Way way in new[] { Way.Sockets, Way.Ring })
        {
            bytes[way] = await MeasureAsync(way, folder);
        }

        string figures = string.Join(", ", bytes.Select(static pair => $"{pair.Key} {pair.Value}"));
        TestContext.Current.TestOutputHelper?.WriteLine($"Bytes per connection: {figures}");
        Assert.True(bytes[Way.Ring] <= bytes[Way.Sockets], figures);
    }

    /// <summary>Managed bytes per connection, the client's socket included, which is the same for all.</summary>
    private static async Task<long> MeasureAsync(Way way, TestFolder folder)
    {
        await using FileServer server = await FileServer.StartAsync(way, folder);
        List<Socket> sockets = [];
        try
        {
            // What grows once is not a connection's.
            await ConnectAsync(server, sockets, ConnectionCount / 4);
            long before = GC.GetTotalMemory(forceFullCollection: true);
            await ConnectAsync(server, sockets, ConnectionCount);
            return (GC.GetTotalMemory(forceFullCollection: true) - before) / ConnectionCount;
        }
        finally
        {
            sockets.ForEach(static socket => socket.Dispose());
        }
    }

    private static async Task ConnectAsync(FileServer server, List<Socket> sockets, int count)
    {
        for (int index = 0; index < count; index++)
        {
            Socket socket = RawSocket.Create(server.EndPoint);
            sockets.Add(socket);
            socket.Connect(server.EndPoint);
            socket.Send("G"u8);
        }

        await Waits.Eventually(() => CountRead((IPEndPoint)server.EndPoint) == sockets.Count, 60.Seconds());
    }

    /// <summary>Connections of the server whose byte the server has taken out of the socket, as proc_net(5) tells.</summary>
    private static int CountRead(IPEndPoint endPoint)
    {
        string port = $":{endPoint.Port:X4}";
        return File.ReadLines("/proc/net/tcp").Skip(1)
            .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Count(fields => fields[1].EndsWith(port, StringComparison.Ordinal) && fields[3] == "01" && fields[4].EndsWith(":00000000", StringComparison.Ordinal));
    }
}

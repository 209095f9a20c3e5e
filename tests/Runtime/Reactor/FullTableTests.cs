using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>A reactor without room for another operation: whoever asked for one gets the error, and keeps nothing.</summary>
public class FullTableTests() : ReactorTests(OneReactor)
{
    [Theory]
    [InlineData("connect")]
    [InlineData("read")]
    [InlineData("listen")]
    public async Task WhoeverFindsNoRoomGetsTheError(string operation)
    {
        using RingFile file = await RingFile.OpenAsync(Fixture[0], Environment.ProcessPath!).Within(20.Seconds());
        using Socket server = RawSocket.Listen();
        await SetRoomAsync(isFull: true);

        InvalidOperationException error = await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync().Within(20.Seconds()));

        Assert.Contains("has room for", error.Message, StringComparison.Ordinal);
        await SetRoomAsync(isFull: false);
        await StartAsync().Within(20.Seconds());

        async Task StartAsync()
        {
            await using IAsyncDisposable? made = operation switch
            {
                "connect" => await Fixture.Group.ConnectAsync(server.LocalEndPoint!),
                "listen" => await Fixture.ListenAsync(static _ => Task.CompletedTask),
                _ => null,
            };
            if (operation == "read")
            {
                Assert.Equal(1, await file.ReadAsync(new byte[1], 0));
            }
        }
    }

    private Task SetRoomAsync(bool isFull) => Fixture[0].RunAsync(() =>
    {
        OperationTable table = Fixture[0].Operations;
        Assert.Equal(table.UsedSlots, table.Count);
        table.MaxSlots = isFull ? table.UsedSlots : OperationId.MaxSlots;
    });
}

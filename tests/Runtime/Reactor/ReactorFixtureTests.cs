using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>The fixture that all tests lean on fails where a test leaves something, and says what; else it is silent.</summary>
public class ReactorFixtureTests
{
    [Fact]
    public async Task IsSilentWhereConnectionsAndListenersAreLeftOpenForItToEnd()
    {
        // Opened before the fixture looks, so that it may outlive it.
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await using ReactorFixture fixture = ReactorFixture.Start();
        RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        await client.ConnectAsync(listener.EndPoint).Within(20.Seconds());
        await client.SendAllAsync(new byte[100]);
        await client.ReceiveExactlyAsync(100);
        await fixture.DisposeAsync();

        SocketException exception = await Assert.ThrowsAsync<SocketException>(() => client.ReceiveAsync(new byte[1]).Within(20.Seconds()));
        Assert.Equal(SocketError.ConnectionReset, exception.SocketErrorCode);
    }

    [Fact]
    public async Task FailsWhereABlockIsNotGivenBack()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        MemoryBlock block = await fixture[1].RunAsync(fixture[1].Memory.LargeBlocks.Rent).Within(20.Seconds());

        Assert.Contains("reactor 1: 1 large blocks not returned", await FailureOfAsync(fixture), StringComparison.Ordinal);
        GC.KeepAlive(block);
    }

    [Fact]
    public async Task FailsWhereABufferIsNotReturned()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        await fixture[0].RunAsync(() => fixture[0].Buffers.Small.Take(0, 1)).Within(20.Seconds());

        Assert.Contains("reactor 0: 1 receive buffers not returned", await FailureOfAsync(fixture), StringComparison.Ordinal);
    }

    [Fact]
    public async Task FailsWhereADescriptorIsLeftOpen()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        int descriptor = Kernel.Linux.EventDescriptor();

        Assert.Contains($"{descriptor} -> anon_inode:[eventfd]", await FailureOfAsync(fixture), StringComparison.Ordinal);
        Assert.Equal(0, Kernel.Linux.Close(descriptor));
    }

    [Fact]
    public async Task FailsWhereAnExceptionWasReportedThatTheTestDidNotAnnounce()
    {
        ReactorFixture fixture = ReactorFixture.Start();
        fixture[0].Post(_ => throw new InvalidOperationException("not announced"), null);

        Assert.Contains("not announced", await FailureOfAsync(fixture), StringComparison.Ordinal);
    }

    private static async Task<string> FailureOfAsync(ReactorFixture fixture)
    {
        fixture.Patience = 100.Milliseconds();
        return (await Assert.ThrowsAsync<InvalidOperationException>(async () => await fixture.DisposeAsync())).Message;
    }
}

using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>An accept that finds no descriptor or no memory is tried again after a pause, which a success or a closed connection ends.</summary>
public class AcceptPauseTests
{
    private const int Always = 1000;

    [Fact]
    public async Task AnAcceptThatSucceedsMakesTheNextPauseShort()
    {
        SkipWhereNothingIsInjected();
        var rates = new FaultRates { [Fault.AcceptEndsEarly] = Always, [Fault.AcceptTableFull] = Always };
        await using ReactorFixture fixture = Start(rates);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        TimeSpan shortest = (await fixture.Events.FirstAsync(RecordedEvents.Kind.AcceptPaused, 20.Seconds())).RetryAfter;
        await Waits.Eventually(() => fixture[0].Snapshot().AcceptPauses >= 5, 20.Seconds());

        rates[Fault.AcceptTableFull] = 0;
        using Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
        await client.SendAllAsync("one"u8.ToArray());
        Assert.Equal("one"u8.ToArray(), await client.ReceiveExactlyAsync(3));

        // A pause is reported once per second.
        await Task.Delay(1100, TestContext.Current.CancellationToken);
        int reports = Reports().Count;
        rates[Fault.AcceptTableFull] = Always;
        using Socket next = await RawSocket.ConnectAsync(listener.EndPoint);
        await Waits.Eventually(() => Reports().Count > reports, 20.Seconds());
        Assert.Equal(shortest, Reports()[reports].RetryAfter);
        rates[Fault.AcceptTableFull] = 0;

        IReadOnlyList<RecordedEvents.Event> Reports() => fixture.Events.Of(RecordedEvents.Kind.AcceptPaused);
    }

    /// <remarks>Each closed connection leads to a try. By the pauses alone, as many tries take more than a minute and a half.</remarks>
    [Fact]
    public async Task AConnectionThatClosesEndsThePause()
    {
        const int ConnectionCount = 100;
        SkipWhereNothingIsInjected();
        var rates = new FaultRates { [Fault.AcceptEndsEarly] = Always };
        await using ReactorFixture fixture = Start(rates);
        await using RingListener listener = await fixture.ListenAsync(EchoHandler.RunAsync);
        var clients = new List<Socket>();
        for (int number = 0; number < ConnectionCount; number++)
        {
            Socket client = await RawSocket.ConnectAsync(listener.EndPoint);
            clients.Add(client);
            await client.SendAllAsync("one"u8.ToArray());
            await client.ReceiveExactlyAsync(3);
        }

        rates[Fault.AcceptTableFull] = Always;
        using Socket last = await RawSocket.ConnectAsync(listener.EndPoint);
        await Waits.Eventually(() => Pauses() > 0, 20.Seconds());
        await CloseOneByOneAsync().Within(60.Seconds());
        rates[Fault.AcceptTableFull] = 0;
        await last.SendAllAsync("one"u8.ToArray());
        await last.ReceiveExactlyAsync(3);

        long Pauses() => fixture[0].Snapshot().AcceptPauses;

        async Task CloseOneByOneAsync()
        {
            foreach (Socket client in clients)
            {
                long before = Pauses();
                client.Dispose();
                await Waits.Eventually(() => Pauses() > before, 60.Seconds());
            }
        }
    }

    [Fact]
    public async Task AListenerThatWasHandedInKeepsItsQueueForItsOwner()
    {
        SkipWhereNothingIsInjected();
        await using ReactorFixture fixture = Start(new FaultRates { [Fault.AcceptEndsEarly] = Always, [Fault.AcceptTableFull] = Always });
        using var owned = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        owned.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        owned.Listen();
        RingListener listener = await RingListener.AdoptAsync(
            fixture.Group, (int)owned.SafeHandle.DangerousGetHandle(), static _ => { }, new RingListenOptions());
        using Socket client = await RawSocket.ConnectAsync(owned.LocalEndPoint!);
        await Waits.Eventually(() => fixture[0].Snapshot().AcceptPauses > 0, 20.Seconds());
        await listener.DisposeAsync().AsTask().Within(20.Seconds());

        using Socket accepted = await owned.AcceptAsync().Within(20.Seconds());
        await client.SendAllAsync("one"u8.ToArray());
        Assert.Equal("one"u8.ToArray(), await accepted.ReceiveExactlyAsync(3));
    }

    private static ReactorFixture Start(FaultRates rates)
        => ReactorFixture.Start(options =>
        {
            options.ReactorCount = 1;
            options.PlayedKernel = new FaultyKernel(1, rates);
        });

    private static void SkipWhereNothingIsInjected()
        => Assert.SkipUnless(FaultSupport.CanInjectResults, "This kernel cannot complete a NOP with a given result (Linux 6.10).");
}

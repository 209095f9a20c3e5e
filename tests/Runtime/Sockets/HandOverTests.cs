using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>A connection that one reactor accepted and hands to another.</summary>
public class HandOverTests : ReactorTests
{
    /// <summary>Work that races with the end of its reactor runs on the thread that posted it, which is a reactor's or none's.</summary>
    [Theory, AllValues]
    public async Task AConnectionThatComesLateIsClosedAndItsReservationGivenBack(bool isOtherReactor)
    {
        await using RingListener listener = await Fixture.ListenAsync(
            EchoHandler.RunAsync, new RingListenOptions { Balancing = AcceptBalancing.LeastLoaded });
        using Socket first = await RawSocket.ConnectAsync(listener.EndPoint);
        await Waits.Eventually(() => Fixture[0].Load.Open == 1, 20.Seconds());

        // The other reactor does not take its work: this test does, as the thread would that posts to one that has ended.
        Task<Socket> second;
        using (var block = new Blocker())
        {
            TaskCompletionSource entered = Waits.Signal();
            Task<bool> blocked = Fixture[1].RunAsync(() =>
            {
                entered.SetResult();
                return block.Hold();
            });
            await entered.Task.Within(20.Seconds());
            second = RawSocket.ConnectAsync(listener.EndPoint);
            await Waits.Eventually(() => Fixture[1].Load.Total == 1, 20.Seconds());

            // The place is reserved before the connection is posted.
            _ = await Waits.Until(
                async () =>
                {
                    await (isOtherReactor ? Fixture[0].RunAsync(Fixture[1].End.RunLateWork) : Task.Run(Fixture[1].End.RunLateWork));
                    return Fixture[1].Load.Total;
                },
                static total => total == 0,
                20.Seconds());
            block.Release();
            await blocked.Within(20.Seconds());
        }

        using Socket client = await second;
        Assert.Equal(0, Fixture[1].Load.Total);
        Assert.Equal(1, Fixture[0].Load.Total);
        Assert.Equal(0, await client.ReceiveAsync(new byte[1]).Within(20.Seconds()));
    }
}

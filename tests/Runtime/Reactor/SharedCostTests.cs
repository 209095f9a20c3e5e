using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>What a request costs does not grow with the number of reactors: no lock, no allocation, no call of the kernel more.</summary>
/// <remarks>Calls and allocations are each reactor's own counts. Waits for locks are the process's; nothing else runs in it.</remarks>
public class SharedCostTests
{
    private const int ConnectionCount = 16;
    private const int Rounds = 200;
    private const int Passes = 3;
    private const int Requests = ConnectionCount * Rounds;

    [Theory, Each(1, 2, 8)]
    public async Task ARequestCostsTheSameOnAnyNumberOfReactors(int reactorCount)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = reactorCount);
        await using RingListener listener = await fixture.ListenAsync(
            EchoHandler.RunAsync, new RingListenOptions { Balancing = AcceptBalancing.LeastLoaded });
        Socket[] clients = await Task.WhenAll(Enumerable.Range(0, ConnectionCount).Select(_ => RawSocket.ConnectAsync(listener.EndPoint)));

        // What each request costs, each pass does; the compiler, which is slow in an emulated machine, costs some of them more.
        await EchoAsync(clients, Rounds / 4);
        Cost cost = await MeasureAsync(fixture, clients);
        for (int pass = 1; pass < Passes; pass++)
        {
            cost = cost.Least(await MeasureAsync(fixture, clients));
        }

        Array.ForEach(clients, static client => client.Dispose());

        // One reads the figures itself: a turn or two, and what that allocates.
        Assert.InRange(cost.Enters, 1, (2 * Requests) + (4 * reactorCount));
        Assert.InRange(cost.AllocatedBytes, 0, Requests + (4096 * reactorCount));
        Assert.InRange(cost.LockWaits, 0, Requests / 100);
    }

    private static async Task<Cost> MeasureAsync(ReactorFixture fixture, Socket[] clients)
    {
        Cost before = await ReadAsync(fixture);
        await EchoAsync(clients, Rounds);
        Cost after = await ReadAsync(fixture);
        return new Cost(after.Enters - before.Enters, after.AllocatedBytes - before.AllocatedBytes, after.LockWaits - before.LockWaits);
    }

    private static async Task EchoAsync(Socket[] clients, int rounds)
    {
        byte[] request = new byte[64];
        for (int round = 0; round < rounds; round++)
        {
            foreach (Socket client in clients)
            {
                await client.SendAllAsync(request);
            }

            foreach (Socket client in clients)
            {
                await client.ReceiveExactlyAsync(request.Length);
            }
        }
    }

    private static async Task<Cost> ReadAsync(ReactorFixture fixture)
    {
        long allocated = 0;
        foreach (Reactor reactor in fixture.Reactors)
        {
            allocated += await reactor.RunAsync(GC.GetAllocatedBytesForCurrentThread).Within(20.Seconds());
        }

        return new Cost(fixture.Reactors.Sum(static reactor => reactor.Snapshot().Enters), allocated, Monitor.LockContentionCount);
    }

    private readonly record struct Cost(long Enters, long AllocatedBytes, long LockWaits)
    {
        internal Cost Least(Cost other)
            => new(Math.Min(Enters, other.Enters), Math.Min(AllocatedBytes, other.AllocatedBytes), Math.Min(LockWaits, other.LockWaits));
    }
}

using System.IO.Pipelines;

namespace Ioxide.Simulation;

/// <summary>Where and on what the handlers block.</summary>
internal sealed partial class EchoApplication
{
    private int _untold;

    /// <summary>Connections that have ended and whose token was not cancelled.</summary>
    internal int Untold => _untold;

    /// <summary>Blocks the reactor, where the seed has it.</summary>
    internal void BlockSomewhere(BlockSite site)
    {
        if (!world.Blocks(site))
        {
            return;
        }

        var cause = (BlockCause)world.Between(0, (int)BlockCause.Stop - (world.Plan.MayBlockForEver ? 0 : 1));
        world.Mark($"blocked on: {cause}");
        switch (cause)
        {
            case BlockCause.Delay:
                BlockOn(site, DelayAsync());
                break;
            case BlockCause.File:
                BlockOn(site, ReadFileAsync());
                break;
            case BlockCause.OtherThread:
                _ = world.Block(site, BySomebody());
                break;
            case BlockCause.OtherConnection:
                Peer peer = world.SomePeer();
                long progress = peer.Sent + peer.Received;
                _ = world.Block(site, () => peer.IsOver || peer.Sent + peer.Received != progress, timeoutMs: world.Between(1, 10));
                break;
            case BlockCause.Limit:
                _ = world.Block(site, static () => false, timeoutMs: world.Between(1, 10));
                break;
            case BlockCause.Both:
            case BlockCause.Either:
                Task delay = DelayAsync();
                _ = world.Block(site, BySomebody(), () => delay.IsCompleted, waitAll: cause == BlockCause.Both);
                break;
            case BlockCause.Stop:
                _ = world.Block(site, world.WaitsForStop);
                break;
        }
    }

    private void BlockOn(BlockSite site, Task task)
    {
        if (!task.IsCompleted)
        {
            _ = world.Block(site, () => task.IsCompleted);
        }
    }

    private Func<bool> BySomebody()
    {
        bool isDone = false;
        world.RunElsewhere(() => isDone = true, world.Between(0, 3) * 1_000_000L);
        return () => isDone;
    }

    private async Task DelayAsync()
    {
        Interlocked.Increment(ref _running);
        try
        {
            await reactor.DelayAsync(TimeSpan.FromMilliseconds(world.Chance(50) ? 100 : world.Between(0, 5))).In(world);
        }
        catch (ObjectDisposedException) when (world.IsStopping)
        {
            // The delay ended with its reactor.
        }

        Interlocked.Decrement(ref _running);
    }

    private async ValueTask<ReadResult> ReadBlockedAsync(PipeReader input)
    {
        Task<ReadResult> pending = ReadPlainAsync(input);
        BlockOn(BlockSite.InRead, pending);
        return await pending.In(world);
    }

    private async Task<ReadResult> ReadPlainAsync(PipeReader input) => await input.ReadAsync().In(world);

    private async ValueTask<FlushResult> FlushBlockedAsync(SendPipe output)
    {
        Task<FlushResult> pending = FlushPlainAsync(output);
        BlockOn(BlockSite.InFlush, pending);
        return await pending.In(world);
    }

    private async Task<FlushResult> FlushPlainAsync(SendPipe output) => await output.FlushAsync().In(world);

    private void Watch(RingConnection connection)
    {
        if (world.Plan.BlockChance > 0)
        {
            Interlocked.Increment(ref _untold);
            connection.ConnectionClosed.UnsafeRegister(
                static state =>
                {
                    var self = (EchoApplication)state!;
                    Interlocked.Decrement(ref self._untold);
                    self.Told();
                },
                this);
        }
    }

    private void Told()
    {
        world.CheckApplication();
        BlockSomewhere(BlockSite.InToken);
    }
}

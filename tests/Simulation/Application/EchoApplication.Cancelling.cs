using System.IO.Pipelines;
using Microsoft.Win32.SafeHandles;

namespace Ioxide.Simulation;

/// <summary>Reads and flushes with a token that another thread cancels: before, while, or long after.</summary>
internal sealed partial class EchoApplication
{
    private const int LatestCancelUs = 2000;

    private async ValueTask<ReadResult> ReadAsync(PipeReader input, Behaviour behaviour)
    {
        if (world.Blocks(BlockSite.InRead))
        {
            return await ReadBlockedAsync(input).In(world);
        }

        while ((behaviour & Behaviour.Cancelled) != 0 && world.Chance(200))
        {
            CancellationTokenSource cancellation = CancelSometime();
            try
            {
                ReadResult read = await input.ReadAsync(cancellation.Token).In(world);
                if (!cancellation.IsCancellationRequested)
                {
                    // Its cancel comes when the next read waits, and is none of that one's.
                    world.Mark("read: stale cancel");
                }

                return read;
            }
            catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
            {
                world.Mark("read: cancelled by its token");
            }
        }

        return await input.ReadAsync().In(world);
    }

    private async ValueTask<FlushResult> FlushAsync(SendPipe output, Behaviour behaviour)
    {
        if (world.Blocks(BlockSite.InFlush))
        {
            return await FlushBlockedAsync(output).In(world);
        }

        while ((behaviour & Behaviour.Cancelled) != 0 && world.Chance(200))
        {
            CancellationTokenSource cancellation = CancelSometime();
            try
            {
                return await output.FlushAsync(cancellation.Token).In(world);
            }
            catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
            {
                // What was written is queued; only the wait for room has ended.
                world.Mark("flush: cancelled by its token");
            }
        }

        return await output.FlushAsync().In(world);
    }

    private CancellationTokenSource CancelSometime()
    {
        var cancellation = new CancellationTokenSource();
        world.RunElsewhere(cancellation.Cancel, world.Between(0, LatestCancelUs) * 1000L);
        return cancellation;
    }

    private async Task ReadFileAsync()
    {
        ulong key = (ulong)world.Between(1, int.MaxValue - 1);
        int length = world.Between(0, 3000);
        int descriptor = world.OpenFile(new DataFile(key, length));
        if (descriptor < 0)
        {
            return;
        }

        Interlocked.Increment(ref _running);
        using var file = RingFile.Adopt(reactor, new SafeFileHandle(descriptor, ownsHandle: false), length);
        byte[] buffer = new byte[world.Between(1, 2000)];
        int offset = world.Between(0, length);
        CancellationTokenSource? cancellation = null;
        if (world.Chance(500))
        {
            cancellation = new CancellationTokenSource();
            world.RunElsewhere(cancellation.Cancel, world.Between(0, 20) * 1000L);
        }

        try
        {
            int count = await file.ReadAsync(buffer, offset, cancellation?.Token ?? default).In(world);
            if (count != Math.Min(buffer.Length, length - offset) || Pattern.FindForeign(buffer.AsSpan(0, count), key, offset) >= 0)
            {
                world.Violated($"a file of {length} bytes gave {count} wrong ones at {offset}");
            }
        }
        catch (OperationCanceledException) when (cancellation?.IsCancellationRequested == true)
        {
            world.Mark("file: read cancelled");
        }
        catch (Exception exception) when (world.IsStopping && exception is OperationCanceledException or ObjectDisposedException)
        {
            // The read ended with its reactor.
        }

        world.CloseFile(descriptor);
        Interlocked.Decrement(ref _running);
    }
}

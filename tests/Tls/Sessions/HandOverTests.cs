using System.Buffers;
using System.IO.Pipelines;
using System.Security.Authentication;

namespace Ioxide.Tls.Tests;

/// <summary>
/// When the kernel takes over a session that may use it: never while a byte of a record is on its way, whatever thread wrote it. The kernel here
/// agrees and encrypts nothing, and the key's message says how many records were made before: so many can be opened, and all else is clear text.
/// A record behind the hand-over, which a kernel would encrypt again, or clear text before it, shows at once.
/// </summary>
public class HandOverTests
{
    private const int SeedCount = 12;

    /// <summary>The flush of the other thread is counted as sent by nobody yet, and the queue is empty.</summary>
    [Theory, AllValues]
    public async Task AFlushThatIsOnlyPostedKeepsTheKernelAway(SslProtocols protocol)
    {
        WriterRun run = await WriterRun.RunAsync(
            static async (session, kernel) =>
            {
                Thread thread = new(() =>
                {
                    session.Output.Write(Payload.Of(100));
                    Task<FlushResult> flush = session.Output.FlushAsync().AsTask();
                    Assert.True(flush.IsCompletedSuccessfully);
                });
                thread.Start();
                using (session.Connection.Reactor.EnterRuntime())
                {
                    // The reactor takes nothing meanwhile.
                    Assert.True(thread.Join(60.Seconds()));
                }

                Assert.True(session.Connection.Sender.IsIdle);
                session.Output.Append(Payload.Of(100_000));
                Assert.False(session.Output.IsInKernel);
                await session.Output.FlushAsync();
            },
            protocol: protocol);

        Payload.AssertSame([.. Payload.Of(100), .. Payload.Of(100_000)], run.Data);
    }

    /// <summary>The first steps are encrypted here; the kernel gets the rest once it has taken those.</summary>
    [Theory, AllValues]
    public async Task TheKernelTakesOverInTheMiddleOfALargePieceFromTheThreadPool(SslProtocols protocol)
    {
        const int LengthBytes = 3_000_000;
        PoisonedMemory memory = new(Payload.Of(LengthBytes));
        WriterRun run = await WriterRun.RunAsync(
            (session, kernel) => Task.Run(async () =>
            {
                session.Output.Write(Payload.Of(10));
                session.Output.Append(memory.Memory, memory);
                await session.Output.FlushAsync().ConfigureAwait(false);
                Assert.True(session.Output.IsInKernel);
                session.Output.Write(Payload.Of(20));
                await session.Output.FlushAsync().ConfigureAwait(false);
            }),
            protocol: protocol);

        Payload.AssertSame([.. Payload.Of(10), .. Payload.Of(LengthBytes), .. Payload.Of(20)], run.Data);
        Assert.InRange(run.Kernel.Sequence, 2, (OutsideQueue.StepBytes / RecordHeader.MaxPlaintext) + 20);
        Assert.Equal(1, memory.Disposals);
    }

    /// <summary>A piece that is encrypted at once is followed by the hand-over when it is sent: the next answer is the kernel's.</summary>
    [Fact]
    public async Task BehindAPieceFromTheThreadPoolTheKernelTakesOver()
    {
        WriterRun run = await WriterRun.RunAsync(static (session, kernel) => Task.Run(async () =>
        {
            session.Output.Append(Payload.Of(100_000));
            Assert.False(session.Output.IsInKernel);
            await session.Output.FlushAsync().ConfigureAwait(false);
            await Waits.Eventually(() => session.Output.IsInKernel, Patience.Limit, "the kernel has taken over").ConfigureAwait(false);
            session.Output.Append(Payload.Of(70_000));
            await session.Output.FlushAsync().ConfigureAwait(false);
        }));

        Payload.AssertSame([.. Payload.Of(100_000), .. Payload.Of(70_000)], run.Data);
    }

    /// <summary>What a flush has left to the end of the turn is the kernel's first record, and counts for the key's limit like any other.</summary>
    [Theory, AllValues]
    public async Task AFlushThatTheKernelEncryptsAfterAllIsCounted(SslProtocols protocol)
    {
        WriterRun run = await WriterRun.RunAsync(
            static async (session, kernel) =>
            {
                session.Output.Write(Payload.Of(10));
                await session.Output.FlushAsync();
                session.Output.Append(Payload.Of(100_000));
                Assert.True(session.Output.IsInKernel);
                Assert.Equal(kernel.Sequence + 1, (long)session.Output.Sealer.Sequence);
                await session.Output.FlushAsync();
            },
            protocol: protocol);

        Payload.AssertSame([.. Payload.Of(10), .. Payload.Of(100_000)], run.Data);
    }

    /// <summary>Writes, pieces and flushes of any size, from the reactor and from the pool, with writes behind a flush that waits.</summary>
    [Fact]
    public async Task RandomWritersAreEncryptedOnce()
    {
        int first = int.TryParse(Environment.GetEnvironmentVariable("IOXIDE_SEED"), out int named) ? named : Environment.TickCount;
        for (int seed = first; seed < first + SeedCount; seed++)
        {
            RandomWriter writer = new(seed);
            SslProtocols protocol = seed % 2 == 0 ? SslProtocols.Tls12 : SslProtocols.Tls13;
            try
            {
                WriterRun run = await WriterRun.RunAsync((session, _) => writer.RunAsync(session), protocol: protocol);
                Payload.AssertSame(writer.Expected, run.Data);
                Assert.All(writer.Owners, static owner => Assert.Equal(1, owner.Disposals));
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"Seed {seed}, {protocol}: {string.Join(", ", writer.Path)}", exception);
            }
        }
    }

    /// <summary>The kernel gets the next key when KeyUpdate was sent: a block that the writer asked for and did not fill must not hide it.</summary>
    [Fact]
    public async Task ARecordThatWasSentIsToldThoughAnEmptyBlockFollowsIt()
    {
        await using LoopbackPair pair = await LoopbackPair.ConnectAsync();
        RingConnection connection = pair.Server;
        ToldLayer layer = new();
        await connection.Reactor.RunAsync(() =>
        {
            connection.Sender.IsEncryptedByKernel = true;
            connection.Output.Layer = layer;
            connection.Output.AppendRecord((byte)RecordType.Handshake, [1, 2]);
            _ = connection.Output.GetSpan(1);
            connection.Output.Submit();
        });
        Assert.Equal((byte)RecordType.Handshake, await layer.Told.Within(Patience.Limit, "the record is told"));
    }

    private sealed class ToldLayer : ISendLayer
    {
        private readonly TaskCompletionSource<byte> _told = Waits.Signal<byte>();

        internal Task<byte> Told => _told.Task;

        void ISendLayer.EndTurn()
        {
            // It stages nothing.
        }

        void ISendLayer.QueueSent() => _told.TrySetResult(0);

        void ISendLayer.RecordSent(byte recordType) => _told.TrySetResult(recordType);
    }
}

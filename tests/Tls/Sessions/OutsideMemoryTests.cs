using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tls.Tests;

/// <summary>
/// Outside memory that is larger than what a session encrypts at once: it holds one step of records beside the connection's limit, and its flush
/// waits as every other does.
/// </summary>
public class OutsideMemoryTests
{
    private const int LengthBytes = 24_000_000;

    // The limit of a connection, a step, and what records add.
    private const int MostBytes = (64 * 1024) + OutsideQueue.StepBytes + 4096;

    /// <summary>What the peer does not read stays where it lies, and its owner is not disposed.</summary>
    [Theory, AllValues]
    public async Task APeerThatDoesNotReadKeepsItWhereItLies(bool isOnPool)
    {
        PoisonedMemory memory = new(Payload.Of(LengthBytes));
        TaskCompletionSource reading = Waits.Signal();
        WriterRun run = await WriterRun.RunAsync(
            (session, _) => isOnPool ? Task.Run(() => WriteAsync(session)) : WriteAsync(session),
            TlsKernelOffload.Never, reading: reading.Task);

        Payload.AssertSame([.. Payload.Of(10), .. Payload.Of(LengthBytes), .. Payload.Of(20)], run.Data);
        Assert.Equal(1, memory.Disposals);

        async Task WriteAsync(TlsSession session)
        {
            session.Output.Write(Payload.Of(10));
            session.Output.Append(memory.Memory, memory);
            session.Output.Write(Payload.Of(20));
            Assert.Equal(LengthBytes + 30, session.Output.UnflushedBytes);
            Assert.InRange(session.Connection.Output.UnflushedBytes, 0, MostBytes);
            ValueTask<FlushResult> flush = session.Output.FlushAsync();
            Task<FlushResult> flushing = flush.AsTask();

            // The socket is full when a send waits.
            await Waits.Eventually(() => session.Connection.Output.PendingBytes is > 0 and <= MostBytes, Patience.Limit).ConfigureAwait(false);
            Assert.False(flushing.IsCompleted);
            Assert.Equal(0, memory.Disposals);
            reading.SetResult();
            FlushResult result = await flushing.ConfigureAwait(false);
            Assert.False(result.IsCompleted || result.IsCanceled);
            Assert.InRange(session.Connection.Output.PendingBytes, 0, MostBytes);
        }
    }

    /// <summary>A flush that is cancelled leaves the rest to the next one; while one waits there is no second.</summary>
    [Fact]
    public async Task ACancelledFlushIsContinuedByTheNextOne()
    {
        PoisonedMemory memory = new(Payload.Of(LengthBytes));
        TaskCompletionSource reading = Waits.Signal();
        WriterRun run = await WriterRun.RunAsync(
            async (session, _) =>
            {
                session.Output.Append(memory.Memory, memory);
                ValueTask<FlushResult> flush = session.Output.FlushAsync();
                await Assert.ThrowsAsync<InvalidOperationException>(() => session.Output.FlushAsync().AsTask());
                session.Output.CancelPendingFlush();
                Assert.True((await flush).IsCanceled);
                using CancellationTokenSource source = new();
                flush = session.Output.FlushAsync(source.Token);
                await source.CancelAsync();
                await Assert.ThrowsAnyAsync<OperationCanceledException>(() => flush.AsTask());
                Assert.Equal(0, memory.Disposals);
                session.Output.Write(Payload.Of(20));
                reading.SetResult();
                Assert.False((await session.Output.FlushAsync()).IsCanceled);
            },
            TlsKernelOffload.Never, reading: reading.Task);

        Payload.AssertSame([.. Payload.Of(LengthBytes), .. Payload.Of(20)], run.Data);
        Assert.Equal(1, memory.Disposals);
    }

    /// <summary>The end of a writer sends everything, in order.</summary>
    [Fact]
    public async Task WhatWaitsIsSentByTheEnd()
    {
        PoisonedMemory memory = new(Payload.Of(1_000_000));
        PoisonedMemory behind = new(Payload.Of(1000));
        WriterRun run = await WriterRun.RunAsync(
            (session, _) =>
            {
                session.Output.Append(memory.Memory, memory);
                session.Output.Write(Payload.Of(20));
                session.Output.Append(behind.Memory, behind);
                session.Output.Write(Payload.Of(30));
                session.Output.Complete();
                return Task.CompletedTask;
            },
            TlsKernelOffload.Never);

        Payload.AssertSame([.. Payload.Of(1_000_000), .. Payload.Of(20), .. Payload.Of(1000), .. Payload.Of(30)], run.Data);
        Assert.Equal((1, 1), (memory.Disposals, behind.Disposals));
    }

    /// <summary>
    /// A peer that does not read costs no more behind its flush than before. It notices that the stream was cut.
    /// </summary>
    [Fact]
    public async Task WhatACancelledFlushLeftIsDroppedByTheEnd()
    {
        PoisonedMemory memory = new(Payload.Of(LengthBytes));
        await PlayAsync(
            async session =>
            {
                session.Output.Append(memory.Memory, memory);
                ValueTask<FlushResult> flush = session.Output.FlushAsync();
                session.Output.CancelPendingFlush();
                Assert.True((await flush).IsCanceled);
                await session.DisposeAsync();
                Assert.InRange(session.Connection.Output.PendingBytes, 0, MostBytes);
                Assert.Equal(1, memory.Disposals);
            },
            static client => Assert.ThrowsAsync<EndOfStreamException>(client.ReadAlertAsync));
    }

    /// <summary>Memory that nobody will get is given back: the session failed, the writer ended with an error, the connection was aborted.</summary>
    [Theory, Each("failure", "error", "abort")]
    public async Task MemoryThatNobodyGetsIsGivenBack(string end)
    {
        PoisonedMemory memory = new(Payload.Of(LengthBytes));
        await PlayAsync(
            async session =>
            {
                session.Output.Append(memory.Memory, memory);
                ValueTask<FlushResult> flush = session.Output.FlushAsync();
                if (end == "failure")
                {
                    session.Output.Fail(TlsAlert.InternalError);
                    session.Output.CancelPendingFlush();
                    await flush;
                    Assert.True((await session.Output.FlushAsync()).IsCompleted);
                }
                else if (end == "error")
                {
                    session.Output.Complete(new InvalidOperationException("on purpose"));
                    Assert.Equal(1, memory.Disposals);
                    session.Output.CancelPendingFlush();
                    await flush;
                }
                else
                {
                    session.Connection.Abort();
                    Assert.True((await flush).IsCompleted);
                }

                Assert.Equal(1, memory.Disposals);
            },
            static client =>
            {
                client.Socket.Reset();
                return Task.CompletedTask;
            });
    }

    /// <summary>A session of the kernel's that failed takes no more memory, however much the application still writes.</summary>
    [Fact]
    public async Task AFailedSessionKeepsNothing()
    {
        PoisonedMemory memory = new(Payload.Of(1_000_000));
        long kept = -1;
        WriterRun run = await WriterRun.RunAsync((session, _) =>
        {
            session.Output.Append(Payload.Of(100_000));
            Assert.True(session.Output.IsInKernel);
            session.Output.Complete();
            return Task.CompletedTask;
        });
        Payload.AssertSame(Payload.Of(100_000), run.Data);
        await WriterRun.RunAsync(async (session, _) =>
        {
            session.Output.Append(Payload.Of(100_000));
            await session.Output.FlushAsync();
            session.Output.Fail(null);
            session.Output.Append(memory.Memory, memory);
            kept = session.Connection.Output.UnflushedBytes;

            // The client waits for an end of the stream that it understands.
            session.Connection.Output.AppendRecord((byte)RecordType.Alert, [1, 0]);
            session.Connection.Output.Submit();
        });
        Assert.Equal((0, 1), (kept, memory.Disposals));
    }

    /// <summary>One connection of a server that encrypts itself.</summary>
    /// <param name="serve">What the server does with it.</param>
    /// <param name="end">What the client does when that is over.</param>
    private static async Task PlayAsync(Func<TlsSession, Task> serve, Func<RecordClient, Task> end)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        using TlsServer server = TlsEcho.Options(static options => options.KernelOffload = TlsKernelOffload.Never).CreateServer();
        (RingListener listener, Task served) = await fixture.ServeAsync(server, serve);
        using RecordClient client = await RecordClient.ConnectAsync(listener.EndPoint);
        await served.Within(Patience.Limit);
        await end(client);
        await listener.UnbindAsync().Within(Patience.Limit);
    }
}

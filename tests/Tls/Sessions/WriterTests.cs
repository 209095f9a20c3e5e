using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tls.Tests;

/// <summary>How flushes become records, seen by a client that counts records.</summary>
public class WriterTests
{
    [Fact]
    public async Task FlushesOfOneTurnAreOneRecord()
        => await RunAsync(
            async session =>
            {
                session.Output.Write(Payload.Of(100));
                await session.Output.FlushAsync();
                session.Output.Write(Payload.Of(50));
                await session.Output.FlushAsync();
            },
            async client =>
            {
                (RecordType type, byte[] content) = await client.ReadAsync();
                Assert.Equal(RecordType.ApplicationData, type);
                Payload.AssertSame([.. Payload.Of(100), .. Payload.Of(50)], content);
            });

    /// <summary>Bytes that the application goes on writing are not sent before their own flush, and none is lost.</summary>
    [Fact]
    public async Task WritingGoesOnWhileWhatWasFlushedIsSent()
        => await RunAsync(
            async session =>
            {
                session.Output.Write(Payload.Of(100));
                await session.Output.FlushAsync();
                Payload.Of(50).CopyTo(session.Output.GetSpan(50));
                session.Output.Advance(50);
                await Task.Yield();
                await Task.Yield();
                Assert.Equal(50, session.Output.UnflushedBytes);
                await session.Output.FlushAsync();
            },
            async client =>
            {
                Assert.Equal(100, (await client.ReadAsync()).Content.Length);
                Payload.AssertSame(Payload.Of(50), (await client.ReadAsync()).Content);
            });

    [Fact]
    public async Task MemoryOfOthersIsEncryptedInOrderAndGivenBack()
    {
        Owner owner = new();
        await RunAsync(
            async session =>
            {
                session.Output.Write(Payload.Of(10));
                session.Output.Append(Payload.Of(100_000), owner);
                session.Output.Write(Payload.Of(5));
                await session.Output.FlushAsync();
            },
            async client => Payload.AssertSame([.. Payload.Of(10), .. Payload.Of(100_000), .. Payload.Of(5)], await client.ReadDataAsync(100_015)));
        Assert.Equal(1, owner.Disposals);
    }

    /// <summary>A server's writer that hands on what it gets makes outside memory part of its response; one that copies does not.</summary>
    [Fact]
    public async Task MemoryBehindAServersWriterIsTakenWhereThatHandsItOn()
    {
        Owner owner = new();
        Owner refused = new();
        await RunAsync(
            async session =>
            {
                IReferenceWriter writer = session.Output;
                session.Output.Write(Payload.Of(10));
                Assert.True(writer.TryAppendBehind(session.Output, Payload.Of(40_000), owner));
                Assert.Equal(1, owner.Disposals);
                Assert.Equal(40_010, session.Output.UnflushedBytes);
                Assert.False(writer.TryAppendBehind(PipeWriter.Create(Stream.Null), Payload.Of(40_000), refused));
                session.Output.Write(Payload.Of(5));
                await session.Output.FlushAsync();
            },
            async client => Payload.AssertSame([.. Payload.Of(10), .. Payload.Of(40_000), .. Payload.Of(5)], await client.ReadDataAsync(40_015)));
        Assert.Equal(1, owner.Disposals);
        Assert.Equal(0, refused.Disposals);
    }

    /// <summary>A short first block would cost one record more for each piece.</summary>
    [Fact]
    public async Task ALongPieceBeginsWithAFullRecord()
        => await RunAsync(
            static async session =>
            {
                session.Output.Append(Payload.Of(60_000));
                await session.Output.FlushAsync();
            },
            static async client =>
            {
                (RecordType type, byte[] content) = await client.ReadAsync();
                Assert.Equal((RecordType.ApplicationData, RecordHeader.MaxPlaintext), (type, content.Length));
                Payload.AssertSame(Payload.Of(60_000)[content.Length..], await client.ReadDataAsync(60_000 - content.Length));
            });

    [Theory, Each(1, 4097, 16_385, 300_000)]
    public async Task AskedForRoomIsGivenInOnePiece(int lengthBytes)
        => await RunAsync(
            async session =>
            {
                // Behind a few bytes in an array that may be too short for the rest.
                session.Output.Write(Payload.Of(10));
                Payload.Of(lengthBytes).CopyTo(session.Output.GetSpan(lengthBytes));
                session.Output.Advance(lengthBytes);
                await session.Output.FlushAsync();
            },
            async client => Payload.AssertSame([.. Payload.Of(10), .. Payload.Of(lengthBytes)], await client.ReadDataAsync(10 + lengthBytes)));

    /// <summary>From the thread pool, where the end of the reactor's turn may come between any two calls.</summary>
    [Fact]
    public async Task AnotherThreadMayWrite()
    {
        const int Rounds = 2000;
        byte[] expected = Payload.Of(Rounds * 13);
        await RunAsync(
            session => Task.Run(async () =>
            {
                for (int round = 0; round < Rounds; round++)
                {
                    expected.AsSpan(round * 13, 13).CopyTo(session.Output.GetSpan(13));
                    session.Output.Advance(13);
                    if (round % 3 == 0)
                    {
                        await session.Output.FlushAsync().ConfigureAwait(false);
                    }
                }

                await session.Output.FlushAsync().ConfigureAwait(false);
            }),
            async client => Payload.AssertSame(expected, await client.ReadDataAsync(expected.Length)));
    }

    /// <summary>
    /// The end of a turn may take the array of the staged bytes away, under the session's lock: on another thread than the reactor
    /// there is no room without that lock. Here memory that is slow to show itself holds it.
    /// </summary>
    [Fact]
    public async Task AnotherThreadGetsNoRoomWhileTheSessionIsLocked()
        => await RunAsync(
            session => Task.Run(async () =>
            {
                session.Output.Write(Payload.Of(10));
                using SlowMemory slow = new(Payload.Of(100));
                Task holding = Task.Run(() => session.Output.Append(slow.Promise));
                await slow.IsAsked.Within(60.Seconds());
                bool isEarly = false;
                Thread writer = new(() =>
                {
                    Payload.Of(5).CopyTo(session.Output.GetSpan(5));
                    isEarly = !slow.IsShown;
                    session.Output.Advance(5);
                })
                {
                    IsBackground = true,
                };
                writer.Start();

                // Many looks in a row, because a thread that starts may wait for other things. Too few would let a fault pass, no more.
                int waits = 0;
                await Waits.Eventually(
                    () => !writer.IsAlive || (waits = (writer.ThreadState & ThreadState.WaitSleepJoin) != 0 ? waits + 1 : 0) == 50,
                    60.Seconds());
                slow.Show();
                await holding.Within(60.Seconds());
                Assert.True(writer.Join(60.Seconds()));
                Assert.False(isEarly, "The other thread got room without the lock.");
                await session.Output.FlushAsync();
            }),
            async client => Payload.AssertSame([.. Payload.Of(10), .. Payload.Of(100), .. Payload.Of(5)], await client.ReadDataAsync(115)));

    /// <summary>
    /// A flush from another thread hands the connection's output to the reactor, to which the reader adds alerts: nobody gets in before
    /// it is through. To wake the reactor is a part of it, and takes its time here.
    /// </summary>
    [Fact]
    public async Task NobodyGetsIntoTheSessionWhileAnotherThreadFlushes()
        => await RunAsync(
            session => Task.Run(async () =>
            {
                Thread? reader = null;
                bool isEarly = false;
                while (reader is null)
                {
                    // A reactor that is awake already needs no waking; then once more. Each from the thread pool: a flush that has waited
                    // resumes on the reactor, from where no flush wakes anybody.
                    await Task.Run(FlushAsync);
                }

                Assert.True(reader.Join(60.Seconds()));
                Assert.False(isEarly, "The reader got into the session in the midst of a flush.");

                async Task FlushAsync()
                {
                    SlowWakeKernel.BeforeNextWake(() =>
                    {
                        reader = new Thread(() => session.Output.Warn(TlsAlert.UserCanceled)) { IsBackground = true };
                        reader.Start();

                        // Many looks in a row, because a thread that starts may wait for other things.
                        for (int waits = 0; reader.IsAlive && waits < 50; Thread.Sleep(1))
                        {
                            waits = (reader.ThreadState & ThreadState.WaitSleepJoin) != 0 ? waits + 1 : 0;
                        }

                        isEarly = !reader.IsAlive;
                    });
                    session.Output.Write(Payload.Of(10));
                    ValueTask<FlushResult> flush = session.Output.FlushAsync();
                    SlowWakeKernel.BeforeNextWake(null);
                    await flush.ConfigureAwait(false);
                }
            }),
            async client => Assert.Equal(TlsAlert.UserCanceled, await client.ReadAlertAsync()),
            new SlowWakeKernel());

    [Fact]
    public async Task AdvancingPastTheRoomIsRefused()
        => await RunAsync(
            async session =>
            {
                int roomBytes = session.Output.GetMemory(10).Length;
                Assert.Throws<ArgumentOutOfRangeException>(() => session.Output.Advance(roomBytes + 1));
                Assert.Throws<ArgumentOutOfRangeException>(() => session.Output.Advance(-1));
                session.Output.Write(Payload.Of(10));
                await session.Output.FlushAsync();
            },
            async client => Payload.AssertSame(Payload.Of(10), (await client.ReadAsync()).Content));

    /// <summary>RFC 8446, section 6.2: an alert that is an error is the last that its sender says.</summary>
    [Fact]
    public async Task NoDataFollowsTheAlertOfAFailure()
        => await RunAsync(
            session =>
            {
                session.Output.Fail(TlsAlert.InternalError);
                session.Output.Write(Payload.Of(10));
                session.Output.Append(Payload.Of(10));
                session.Output.Complete();
                return Task.CompletedTask;
            },
            async client =>
            {
                Assert.Equal(TlsAlert.InternalError, await client.ReadAlertAsync());
                await Assert.ThrowsAsync<EndOfStreamException>(client.ReadAsync);
            });

    [Fact]
    public async Task AWriterThatIsCompletedWithAnErrorSaysNoCloseNotify()
        => await RunAsync(
            async session =>
            {
                session.Output.Write(Payload.Of(10));
                await session.Output.FlushAsync();
                session.Output.Write(Payload.Of(10));
                session.Output.Complete(new InvalidOperationException("on purpose"));
            },
            async client =>
            {
                Assert.Equal(10, (await client.ReadAsync()).Content.Length);
                await Assert.ThrowsAsync<EndOfStreamException>(client.ReadAsync);
            });

    private static async Task RunAsync(Func<TlsSession, Task> write, Func<RecordClient, Task> read, Kernel? kernel = null)
    {
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.PlayedKernel = kernel ?? options.PlayedKernel);
        using TlsServer server = TlsEcho.Options(options => options.Ssl.AllowTlsResume = false).CreateServer();
        TaskCompletionSource isRead = Waits.Signal();
        (RingListener listener, Task served) = await fixture.ServeAsync(server, async session =>
        {
            await write(session);
            await isRead.Task;
        });
        using (RecordClient client = await RecordClient.ConnectAsync(listener.EndPoint))
        {
            await read(client);
        }

        isRead.SetResult();
        await served.Within(60.Seconds());
        await listener.UnbindAsync().Within(60.Seconds());
    }

    private sealed class Owner : IDisposable
    {
        internal int Disposals { get; private set; }

        public void Dispose() => Disposals++;
    }

    private sealed class SlowMemory(byte[] content) : MemoryManager<byte>
    {
        private readonly TaskCompletionSource _isAsked = Waits.Signal();
        private readonly Blocker _isShown = new();

        internal Task IsAsked => _isAsked.Task;

        internal bool IsShown => _isShown.IsReleased;

        internal Memory<byte> Promise => CreateMemory(content.Length);

        internal void Show() => _isShown.Release();

        public override Span<byte> GetSpan()
        {
            _isAsked.TrySetResult();
            Assert.True(_isShown.Hold());
            return content;
        }

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing) => _isShown.Dispose();
    }
}

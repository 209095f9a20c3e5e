using System.Buffers;
using System.IO.Pipelines;

namespace Ioxide.Tls.Tests;

/// <summary>What a session's reader gives out, and when. Its records lie in memory, so that each read has what the test put there.</summary>
public sealed class ReaderTests : IControlTarget, IDisposable
{
    private const int MostBytesPerRead = 256 * 1024;

    private readonly RecordPair _pair = RecordPair.Shapes[0]();
    private Action _onKeyUpdate = static () => throw new InvalidOperationException("No keys are updated here.");

    public void Dispose() => _pair.Dispose();

    /// <summary>It is authentic, whatever follows.</summary>
    [Fact]
    public async Task DataBeforeABrokenRecordIsReadBeforeTheError()
    {
        byte[] broken = _pair.Seal(1, RecordType.ApplicationData, Payload.Of(20));
        broken[^1] ^= 1;
        TlsReader reader = Over(PipeReader.Create(new ReadOnlySequence<byte>([.. Data(0, 10), .. broken])));

        ReadResult read = await reader.ReadAsync();
        Assert.Equal(Payload.Of(10), read.Buffer.ToArray());
        reader.AdvanceTo(read.Buffer.End);
        TlsException error = await Assert.ThrowsAsync<TlsException>(() => reader.ReadAsync().AsTask());

        Assert.Equal(TlsFailure.BadRecord, error.Failure);
    }

    [Fact]
    public async Task ACancelledReadIsCancelledOnce()
    {
        var pipe = new Pipe();
        TlsReader reader = Over(pipe.Reader);
        reader.CancelPendingRead();
        ReadResult cancelled = await reader.ReadAsync();
        reader.AdvanceTo(cancelled.Buffer.Start);
        await pipe.Writer.WriteAsync(Data(0, 10));

        ReadResult read = await reader.ReadAsync();

        Assert.True(cancelled.IsCanceled);
        Assert.Equal((false, 10), (read.IsCanceled, read.Buffer.Length));
    }

    [Theory, Each(0, 1, 9)]
    public async Task WhatIsNotConsumedIsInTheNextReadToo(int consumedBytes)
    {
        var pipe = new Pipe();
        TlsReader reader = Over(pipe.Reader);
        await pipe.Writer.WriteAsync(Data(0, 10));
        ReadResult read = await reader.ReadAsync();
        reader.AdvanceTo(read.Buffer.GetPosition(consumedBytes), read.Buffer.End);
        await pipe.Writer.WriteAsync(Data(1, 10));

        read = await reader.ReadAsync();

        Assert.Equal([.. Payload.Of(10)[consumedBytes..], .. Payload.Of(10)], read.Buffer.ToArray());
    }

    /// <summary>However much has come: others have their turn in between.</summary>
    [Fact]
    public async Task ARoundOfReadingDecryptsALimitedAmount()
    {
        const int Records = 40;
        byte[][] records = [.. Enumerable.Range(0, Records).Select(number => Data((ulong)number, RecordHeader.MaxPlaintext))];
        TlsReader reader = Over(PipeReader.Create(new ReadOnlySequence<byte>([.. records.SelectMany(static record => record)])));
        long total = 0;
        while (total < Records * RecordHeader.MaxPlaintext)
        {
            ReadResult read = await reader.ReadAsync();
            Assert.InRange(read.Buffer.Length, 1, MostBytesPerRead + (2 * RecordHeader.MaxPlaintext));
            total += read.Buffer.Length;
            reader.AdvanceTo(read.Buffer.End);
        }

        Assert.Equal(Records * RecordHeader.MaxPlaintext, total);
    }

    /// <summary>A server completes the reader when the handler returns, also where that has left a read behind, on another thread.</summary>
    [Fact]
    public async Task AReaderThatIsCompletedWhileItDecryptsFreesItsKeyAfterwards()
    {
        byte[] update = _pair.Seal(1, RecordType.Handshake, TlsBufferSession.KeyUpdate);
        byte[] first = Data(0, 10);
        _pair.Sealer.Update();
        TlsReader reader = Over(PipeReader.Create(new ReadOnlySequence<byte>([.. first, .. update, .. Data(0, 10)])));
        _onKeyUpdate = () => reader.Complete();

        await Assert.ThrowsAsync<InvalidOperationException>(() => reader.ReadAsync().AsTask());

        Assert.Equal(1ul, _pair.Opener.Sequence);
        Assert.Throws<ObjectDisposedException>(() => _pair.Opener.Keys.Key.Length);
    }

    /// <summary>The same over sockets, at any moment: bytes come while the session ends.</summary>
    [Theory, AllValues]
    public async Task AReadThatIsLeftBehindEndsWithTheSession(bool readsOnPool, bool endsOnPool)
    {
        await using ReactorFixture fixture = ReactorFixture.Start();
        using TlsServer server = TlsEcho.Options().CreateServer();
        for (int round = 0; round < 20; round++)
        {
            (RingListener listener, Task served) = await fixture.ServeAsync(server, async session =>
            {
                TaskCompletionSource hasRead = Waits.Signal();
                Task reading = readsOnPool ? Task.Run(() => ReadOnAsync(session.Input, hasRead)) : ReadOnAsync(session.Input, hasRead);
                await hasRead.Task;
                await (endsOnPool ? Task.Run(() => session.DisposeAsync().AsTask()) : session.DisposeAsync().AsTask());
                await Assert.ThrowsAsync<InvalidOperationException>(() => reading);
                Assert.Throws<InvalidOperationException>(() => session.Input.TryRead(out _));
            });
            using RecordClient client = await RecordClient.ConnectAsync(listener.EndPoint);
            byte[] records = [.. Enumerable.Range(0, 20).SelectMany(_ => client.Seal(RecordType.ApplicationData, Payload.Of(RecordHeader.MaxPlaintext)))];

            // The server resets what it does not read.
            await Record.ExceptionAsync(() => client.SendAsync(records));
            await served.Within(Patience.Limit);
            await listener.UnbindAsync().Within(Patience.Limit);
        }
    }

    void IControlTarget.Fail(TlsException error, TlsAlert? alert)
    {
        // The reader throws it as well.
    }

    void IControlTarget.NotePeerKeyUpdate(bool isAnswerRequested) => _onKeyUpdate();

    void IControlTarget.RefuseRenegotiation() => throw new InvalidOperationException("Nothing is negotiated here.");

    private static async Task ReadOnAsync(PipeReader input, TaskCompletionSource hasRead)
    {
        while (true)
        {
            ReadResult read = await input.ReadAsync().ConfigureAwait(false);
            input.AdvanceTo(read.Buffer.End);
            hasRead.TrySetResult();
        }
    }

    // What is there is read without a wait, so that no reactor is asked for.
    private TlsReader Over(PipeReader input)
        => new(
            null!, input, resumesOnThreadPool: false, new TlsBufferSession(_pair.Sealer, _pair.Opener, isServer: true), this, TlsSessionKind.Strict);

    private byte[] Data(ulong number, int lengthBytes) => _pair.Seal(number, RecordType.ApplicationData, Payload.Of(lengthBytes));
}

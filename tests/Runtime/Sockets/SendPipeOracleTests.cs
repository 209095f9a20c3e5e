using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// Random calls of a writer give what they give a <see cref="Pipe"/>: results, errors, unflushed bytes, and what arrives. Where each call comes
/// from (the reactor or another thread) is drawn as well. No flush waits here; SendBackPressureTests has those.
/// </summary>
public class SendPipeOracleTests
{
    private const int SeedCount = 150;
    private const int StepCount = 40;
    private const long Key = 7;

    private static readonly (Call Call, bool IsAfterEnd, string Reason)[] s_differences =
    [(Call.CompleteWithError, false, "unflushed bytes are dropped: the peer must not take them for an end that the application meant")];

    private enum Call
    {
        GetMemory,
        GetSpan,
        Advance,
        AdvanceTooFar,
        Write,
        WriteAsync,
        Flush,
        FlushCancelled,
        Cancel,
        Complete,
        CompleteWithError,
    }

    [Fact]
    public async Task RandomCallsGiveWhatAPipeGives()
    {
        int first = Seed.Print();
        await using ReactorFixture fixture = ReactorFixture.Start(options => options.ReactorCount = 1);
        for (int seed = first; seed < first + SeedCount; seed++)
        {
            await using LoopbackPair pair = await LoopbackPair.ConnectAsync(fixture, new RingConnectionOptions { MaxWriteBufferSize = null });
            await CompareAsync(pair, new Random(seed), seed);
        }
    }

    private static async Task CompareAsync(LoopbackPair pair, Random random, int seed)
    {
        var pipe = new Pipe(new PipeOptions(pauseWriterThreshold: 0));
        var subject = new Subject(pair.Server.Output);
        var oracle = new Subject(pipe.Writer);
        using var wanted = new MemoryStream();
        bool hasEnded = false;
        string path = string.Empty;
        for (int step = 0; step < StepCount; step++)
        {
            var call = (Call)random.Next(step < StepCount / 2 ? (int)Call.Complete : (int)Call.CompleteWithError + 1);
            int size = random.Next(3) switch { 0 => random.Next(10), 1 => random.Next(5000), _ => random.Next(40_000) };
            bool isOnReactor = random.Next(2) == 0;
            if (call == Call.CompleteWithError && !hasEnded)
            {
                // A pipe gives nothing more to its reader after an error, and flushed bytes count here.
                await ReadAsync(pipe.Reader, wanted);
            }

            string expected = await oracle.DoAsync(call, size);
            string actual = isOnReactor
                ? await pair.Server.Reactor.RunAsync(() => subject.DoAsync(call, size)).Within(20.Seconds())
                : await Task.Run(() => subject.DoAsync(call, size)).Within(20.Seconds());
            path += $"\n{(isOnReactor ? "reactor" : "pool")} {call} {size}: {actual}";
            if (!s_differences.Any(difference => difference.Call == call && difference.IsAfterEnd == hasEnded))
            {
                Assert.True(expected == actual, $"Seed {seed}: a pipe gives '{expected}' at the end of{path}");
            }

            if (call is Call.Complete && !hasEnded)
            {
                await pipe.Reader.CopyToAsync(wanted);
            }

            hasEnded |= call is Call.Complete or Call.CompleteWithError;
        }

        if (!hasEnded)
        {
            await Task.Run(() => subject.DoAsync(Call.Complete, 0));
            await oracle.DoAsync(Call.Complete, 0);
            await pipe.Reader.CopyToAsync(wanted);
        }

        byte[] received = await pair.Client.ReceiveToEndAsync();
        Assert.True(wanted.ToArray().AsSpan().SequenceEqual(received), $"Seed {seed}: other bytes at the end of{path}");
    }

    private static async Task ReadAsync(PipeReader reader, MemoryStream into)
    {
        if (reader.TryRead(out ReadResult result))
        {
            foreach (ReadOnlyMemory<byte> memory in result.Buffer)
            {
                await into.WriteAsync(memory);
            }

            reader.AdvanceTo(result.Buffer.End);
        }
    }

    private sealed class Subject(PipeWriter writer)
    {
        private long _offset;
        private int _room;

        internal async Task<string> DoAsync(Call call, int size)
        {
            try
            {
                return await CallAsync(call, size).ConfigureAwait(false) + $", {writer.UnflushedBytes} unflushed";
            }
            catch (Exception exception) when (exception is InvalidOperationException or ArgumentException or OperationCanceledException)
            {
                return exception.GetType().Name + $", {writer.UnflushedBytes} unflushed";
            }
        }

        private async Task<string> CallAsync(Call call, int size)
        {
            switch (call)
            {
                case Call.GetMemory:
                    Memory<byte> memory = writer.GetMemory(size);
                    Payload.Fill(memory.Span[..size], Key, _offset);
                    _room = size;
                    return memory.Length >= Math.Max(1, size) ? "memory" : "too little";
                case Call.GetSpan:
                    Span<byte> span = writer.GetSpan(size);
                    Payload.Fill(span[..size], Key, _offset);
                    _room = size;
                    return span.Length >= Math.Max(1, size) ? "span" : "too little";
                case Call.Advance:
                    int count = Math.Min(size, _room);
                    _room = 0;
                    writer.Advance(count);
                    _offset += count;
                    return "advanced";
                case Call.AdvanceTooFar:
                    writer.Advance(int.MaxValue);
                    return "advanced";
                case Call.Write:
                    _room = 0;
                    writer.Write(Keyed(size));
                    return "written";
                case Call.WriteAsync:
                    _room = 0;
                    FlushResult written = await writer.WriteAsync(Keyed(size)).ConfigureAwait(false);
                    return $"cancelled {written.IsCanceled}, completed {written.IsCompleted}";
                case Call.Flush:
                    _room = 0;
                    FlushResult flushed = await writer.FlushAsync().ConfigureAwait(false);
                    return $"cancelled {flushed.IsCanceled}, completed {flushed.IsCompleted}";
                case Call.FlushCancelled:
                    await writer.FlushAsync(new CancellationToken(canceled: true)).ConfigureAwait(false);
                    return "flushed";
                case Call.Cancel:
                    writer.CancelPendingFlush();
                    return "cancel";
                case Call.Complete:
                    _room = 0;
                    writer.Complete();
                    return "complete";
                default:
                    _room = 0;
                    writer.Complete(new IOException("given up"));
                    return "complete";
            }
        }

        private byte[] Keyed(int size)
        {
            byte[] bytes = new byte[size];
            Payload.Fill(bytes, Key, _offset);
            _offset += size;
            return bytes;
        }
    }
}

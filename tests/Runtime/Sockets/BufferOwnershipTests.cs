using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Tests;

/// <summary>
/// No connection ever receives another's bytes. Every connection has a key, and each byte in either direction is a function
/// of key and position; connections are closed, reset, half closed and reopened at random, with sends in flight to peers that
/// do not read, so that buffers, blocks, slots and descriptors change hands all the time.
/// </summary>
/// <remarks>Takes 10 s: 200,000 rounds on connections that change hands.</remarks>
public class BufferOwnershipTests
{
    /// <summary>A request: key (8 bytes), round (4), bytes of the answer (4), keyed bytes (the rest).</summary>
    private const int RequestBytes = 96;
    private const int HeaderBytes = 16;
    private const int SmallAnswerBytes = 128;
    private const int LargeAnswerBytes = 1_500_000;
    private const int ThreadCount = 6;
    private const int RoundCount = 200_000;
    private const long AnswerKey = 0x5EED;

    private readonly ConcurrentQueue<string> _failures = new();
    private int _rounds;
    private long _nextKey;

    [Fact]
    public async Task NoConnectionReceivesTheBytesOfAnother()
    {
        int seed = Seed.Print();
        await using ReactorFixture fixture = ReactorFixture.Start(options =>
        {
            options.ReceiveBufferSize = 256;
            options.ReceiveBufferCount = 16;
            options.MaxReceiveBufferCount = 32;
        });
        await using RingListener listener = await fixture.ListenAsync(
            ServeAsync,
            new RingListenOptions { Connection = new RingConnectionOptions { LingerTimeout = TimeSpan.FromMilliseconds(100) } });
        var endPoint = (IPEndPoint)listener.EndPoint;
        Task[] threads = [.. Enumerable.Range(0, ThreadCount).Select(thread => Task.Factory.StartNew(
            () => RunClient(endPoint, new Random(seed + thread)),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        await Task.WhenAll(threads).Within(40.Seconds(), $"{RoundCount} rounds, seed {seed}");
        Assert.True(_failures.IsEmpty, $"Seed {seed}:\n{string.Join('\n', _failures.Take(20))}");
        Assert.True(_rounds >= RoundCount);
        TestContext.Current.TestOutputHelper?.WriteLine($"{_rounds} rounds on {_nextKey} connections");
    }

    private void RunClient(IPEndPoint endPoint, Random random)
    {
        byte[] request = new byte[RequestBytes];
        byte[] answer = new byte[SmallAnswerBytes];
        while (Volatile.Read(ref _rounds) < RoundCount && _failures.IsEmpty)
        {
            long key = Interlocked.Increment(ref _nextKey);
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
            {
                NoDelay = true,
                ReceiveTimeout = 10_000,
                SendTimeout = 10_000,
            };
            try
            {
                socket.Connect(endPoint);
                int rounds = random.Next(1, 120);
                long answered = 0;
                for (int round = 0; round < rounds;)
                {
                    int pipelined = Math.Min(rounds - round, random.Next(1, 9));
                    for (int index = 0; index < pipelined; index++)
                    {
                        WriteRequest(request, key, round + index, SmallAnswerBytes);
                        socket.Send(request);
                    }

                    for (int index = 0; index < pipelined; index++)
                    {
                        Receive(socket, answer);
                        Check(answer, key, answered);
                        answered += answer.Length;
                    }

                    round += pipelined;
                    Interlocked.Add(ref _rounds, pipelined);
                }

                End(socket, random, request, key, rounds, answered);
            }
            catch (SocketException exception)
            {
                _failures.Enqueue($"key {key}: {exception.SocketErrorCode}");
            }
        }
    }

    private void End(Socket socket, Random random, byte[] request, long key, int round, long answered)
    {
        int ending = random.Next(10);
        if (ending == 0)
        {
            // A large answer that is not read: its send is in flight when the reset or the close comes.
            WriteRequest(request, key, round, LargeAnswerBytes);
            socket.Send(request);
            byte[] head = new byte[random.Next(1, 4000)];
            Receive(socket, head);
            Check(head, key, answered);
            if (random.Next(2) == 0)
            {
                socket.LingerState = new LingerOption(true, 0);
            }
        }
        else if (ending < 4)
        {
            socket.LingerState = new LingerOption(true, 0);
            socket.Send(request.AsSpan(0, random.Next(1, RequestBytes)));
        }
        else if (ending < 7)
        {
            WriteRequest(request, key, round, SmallAnswerBytes);
            socket.Send(request);
            socket.Shutdown(SocketShutdown.Send);
            byte[] last = new byte[SmallAnswerBytes];
            Receive(socket, last);
            Check(last, key, answered);
            if (socket.Receive(last) != 0)
            {
                _failures.Enqueue($"key {key}: bytes behind the last answer");
            }
        }
    }

    private static void WriteRequest(Span<byte> request, long key, int round, int answerBytes)
    {
        BinaryPrimitives.WriteInt64LittleEndian(request, key);
        BinaryPrimitives.WriteInt32LittleEndian(request[8..], round);
        BinaryPrimitives.WriteInt32LittleEndian(request[12..], answerBytes);
        Payload.Fill(request[HeaderBytes..], key, (long)round * RequestBytes);
    }

    private static void Receive(Socket socket, Span<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            int count = socket.Receive(destination);
            if (count == 0)
            {
                throw new SocketException((int)SocketError.Disconnecting);
            }

            destination = destination[count..];
        }
    }

    private void Check(ReadOnlySpan<byte> answer, long key, long offset)
    {
        int difference = Payload.FirstDifference(answer, key ^ AnswerKey, offset);
        if (difference >= 0)
        {
            _failures.Enqueue($"key {key}: the answer is not its own at {offset + difference}");
        }
    }

    private async Task ServeAsync(RingConnection connection)
    {
        PipeReader input = connection.Input;
        long key = 0;
        int round = 0;
        long answered = 0;
        byte[] request = new byte[RequestBytes];
        while (true)
        {
            ReadResult read = await input.ReadAsync();
            ReadOnlySequence<byte> buffer = read.Buffer;
            for (; buffer.Length >= RequestBytes; buffer = buffer.Slice(RequestBytes))
            {
                buffer.Slice(0, RequestBytes).CopyTo(request);
                long told = BinaryPrimitives.ReadInt64LittleEndian(request);
                key = key == 0 ? told : key;
                if (told != key
                    || BinaryPrimitives.ReadInt32LittleEndian(request.AsSpan(8)) != round
                    || Payload.FirstDifference(request.AsSpan(HeaderBytes), key, (long)round * RequestBytes) >= 0)
                {
                    _failures.Enqueue($"the server got a request of key {told} or in a wrong place on the connection of key {key}");
                    connection.Abort();
                    return;
                }

                int answerBytes = BinaryPrimitives.ReadInt32LittleEndian(request.AsSpan(12));
                Answer(connection.Output, key, answered, answerBytes, byReference: round % 5 == 0);
                answered += answerBytes;
                round++;
            }

            input.AdvanceTo(buffer.Start, buffer.End);
            FlushResult flush = await connection.Output.FlushAsync();
            if (read.IsCompleted || flush.IsCompleted)
            {
                return;
            }
        }
    }

    private static void Answer(SendPipe output, long key, long offset, int lengthBytes, bool byReference)
    {
        if (byReference)
        {
            var owner = new RentedMemory(lengthBytes);
            Payload.Fill(owner.Memory.Span, key ^ AnswerKey, offset);
            output.Append(owner.Memory, owner);
            return;
        }

        Payload.Fill(output.GetSpan(lengthBytes), key ^ AnswerKey, offset);
        output.Advance(lengthBytes);
    }

    /// <summary>Pooled memory: given back too early, another connection's answer would be written into it.</summary>
    private sealed class RentedMemory(int lengthBytes) : IDisposable
    {
        private readonly byte[] _bytes = ArrayPool<byte>.Shared.Rent(lengthBytes);

        internal Memory<byte> Memory => _bytes.AsMemory(0, lengthBytes);

        public void Dispose() => ArrayPool<byte>.Shared.Return(_bytes);
    }
}

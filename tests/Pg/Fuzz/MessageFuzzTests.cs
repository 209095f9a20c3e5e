using System.Buffers;

namespace Ioxide.Pg.Tests;

/// <summary>Mutated messages of real servers through everything that reads them. Nothing but the driver's own errors comes out.</summary>
public class MessageFuzzTests
{
    private const int MaxMessageBytes = 1024 * 1024;

    [Fact]
    public async Task AMillionMutatedMessagesAreReadOrRefused()
    {
        int count = Scale.Of(1_000_000);
        IReadOnlyList<RecordedStream> streams = await RecordedStreams.CaptureAsync(await PostgresServer.SharedAsync());
        List<(byte[] Message, ResultColumns? Columns)> messages = Collect(streams);
        int seed = TestSeed.Next();
        var random = new Random(seed);
        var layout = new RowLayout();
        var writer = new ArrayBufferWriter<byte>();
        for (int i = 0; i < count; i++)
        {
            (byte[] message, ResultColumns? columns) = messages[random.Next(messages.Count)];
            byte[] body = Mutation.Of(random, message.AsSpan(MessageReader.HeaderBytes));
            byte type = random.Next(50) == 0 ? (byte)random.Next(256) : message[0];
            try
            {
                Read(type, body, columns ?? ResultColumns.None, layout, writer);
            }
            catch (Exception exception) when (exception is PgProtocolException or PgTypeException)
            {
                // Refused.
            }
            catch (Exception exception)
            {
                Assert.Fail($"Seed {seed}, message {i}, type {(char)type}, {Convert.ToHexString(body)}: {exception}");
            }
        }
    }

    [Fact]
    public async Task MutatedStreamsAreCutIntoMessagesOrRefusedHoweverTheyAreBuffered()
    {
        IReadOnlyList<RecordedStream> streams = await RecordedStreams.CaptureAsync(await PostgresServer.SharedAsync());
        byte[][] whole = [.. streams.Select(stream => stream.ServerBytes).Where(static bytes => bytes.Length < 20_000)];
        int seed = TestSeed.Next();
        var random = new Random(seed);
        var scratch = new MessageScratch(MaxMessageBytes);
        for (int i = 0; i < 5_000; i++)
        {
            byte[] bytes = Mutation.Of(random, whole[random.Next(whole.Length)]);
            List<(byte Type, int Length, int Sum)> inOne = Cut(new ReadOnlySequence<byte>(bytes), scratch, out bool isRefused);
            List<(byte Type, int Length, int Sum)> inMany = Cut(Segments(random, bytes), scratch, out bool isRefusedInMany);
            Assert.True(inOne.SequenceEqual(inMany) && isRefused == isRefusedInMany, $"Seed {seed}, stream {i}");
        }
    }

    private static List<(byte[] Message, ResultColumns? Columns)> Collect(IReadOnlyList<RecordedStream> streams)
    {
        var messages = new List<(byte[], ResultColumns?)>();
        foreach (RecordedStream stream in streams)
        {
            ResultColumns? columns = null;
            int rows = 0;
            foreach (byte[] message in stream.ToClient.Where(static message => message.Length is > 5 and < 5_000))
            {
                if (message[0] == BackendMessage.RowDescription)
                {
                    rows = 0;
                    columns = ResultColumns.Read(message.AsSpan(MessageReader.HeaderBytes), isTextOnly: !stream.Name.Contains("binary", StringComparison.Ordinal));
                }

                // A few rows of each result are as good as all.
                if (message[0] != BackendMessage.DataRow || rows++ < 20)
                {
                    messages.Add((message, columns));
                }
            }
        }

        return messages;
    }

    private static void Read(byte type, ReadOnlySpan<byte> body, ResultColumns columns, RowLayout layout, ArrayBufferWriter<byte> writer)
    {
        switch (type)
        {
            case BackendMessage.RowDescription:
                ResultColumns described = ResultColumns.Read(body);
                Assert.InRange(described.Count, 0, ResultColumns.MaxColumns);
                break;
            case BackendMessage.DataRow:
                layout.Read(body, columns.Count);
                var row = new PgRow(body, layout.Offsets, columns);
                for (int i = 0; i < row.Count; i++)
                {
                    _ = row.GetBytes(i).Length;
                    writer.ResetWrittenCount();
                    row.WriteJson(i, writer);
                }

                break;
            case BackendMessage.ErrorResponse:
            case BackendMessage.NoticeResponse:
                _ = new PgException(PgServerMessage.Read(body)).Message;
                break;
            case BackendMessage.CommandComplete:
                _ = PgTag.Read(body).ToString();
                break;
            default:
                var reader = new WireReader(body);
                _ = reader.ReadInt32();
                _ = reader.ReadString();
                _ = reader.ReadCString().Length;
                break;
        }
    }

    private static List<(byte Type, int Length, int Sum)> Cut(in ReadOnlySequence<byte> bytes, MessageScratch scratch, out bool isRefused)
    {
        var messages = new List<(byte, int, int)>();
        isRefused = false;
        try
        {
            var reader = new MessageReader(bytes, scratch);
            while (reader.TryRead(out byte type, out ReadOnlySpan<byte> body))
            {
                int sum = 0;
                foreach (byte value in body)
                {
                    sum = (sum * 31) + value;
                }

                messages.Add((type, body.Length, sum));
            }
        }
        catch (PgProtocolException)
        {
            isRefused = true;
        }

        return messages;
    }

    private static ReadOnlySequence<byte> Segments(Random random, byte[] bytes)
    {
        var first = new Segment(default, 0);
        Segment last = first;
        for (int at = 0; at < bytes.Length;)
        {
            int length = Math.Min(random.Next(0, 200), bytes.Length - at);
            last = last.Append(bytes.AsMemory(at, length));
            at += length;
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        internal Segment(ReadOnlyMemory<byte> memory, long runningIndex)
        {
            Memory = memory;
            RunningIndex = runningIndex;
        }

        internal Segment Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Segment(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}

using System.Buffers;
using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Text;
using Ioxide;

/// <summary>One connection: reads commands, however they are cut, and answers all that have come in one send.</summary>
internal sealed class Session(RingConnection connection, ConcurrentDictionary<string, Entry> entries, TimeSpan idleLimit)
{
    private const int MaxWords = 1024;
    private const int MaxWordBytes = 512 * 1024;

    internal async Task RunAsync()
    {
        var idle = new ReactorTimer(connection.Reactor, static input => ((PipeReader)input!).CancelPendingRead(), connection.Input);
        for (bool isOpen = true; isOpen;)
        {
            idle.Set(idleLimit);
            ReadResult read = await connection.Input.ReadAsync();
            idle.Stop();
            ReadOnlySequence<byte> rest = read.Buffer;
            isOpen = !read.IsCompleted;
            try
            {
                while (TryReadCommand(ref rest, out string[] words))
                {
                    Encoding.Latin1.GetBytes(Answer(words) + "\r\n", connection.Output);
                }

                Require(!read.IsCanceled, "the connection was idle for too long");
            }
            catch (InvalidDataException refused)
            {
                Encoding.Latin1.GetBytes($"-ERR {refused.Message}\r\n", connection.Output);
                isOpen = false;
            }

            connection.Input.AdvanceTo(rest.Start, rest.End);
            await connection.Output.FlushAsync();
        }
    }

    /// <summary>Cuts one command off: <c>*2\r\n$3\r\nGET\r\n$1\r\nk\r\n</c>. False where it has not come whole.</summary>
    private static bool TryReadCommand(ref ReadOnlySequence<byte> buffer, out string[] words)
    {
        var reader = new SequenceReader<byte>(buffer);
        words = [];
        if (!TryReadLength(ref reader, (byte)'*', MaxWords, out int count))
        {
            return false;
        }

        words = new string[count];
        for (int index = 0; index < count; index++)
        {
            if (!TryReadLength(ref reader, (byte)'$', MaxWordBytes, out int length) || reader.Remaining < length + 2)
            {
                return false;
            }

            words[index] = Encoding.Latin1.GetString(reader.UnreadSequence.Slice(0, length));
            reader.Advance(length);
            Require(reader.IsNext("\r\n"u8, advancePast: true), "Protocol error: a word is longer than it says");
        }

        buffer = reader.UnreadSequence;
        return true;
    }

    private static bool TryReadLength(ref SequenceReader<byte> reader, byte kind, int most, out int length)
    {
        length = 0;
        Require(!reader.TryPeek(out byte first) || first == kind, $"Protocol error: expected '{(char)kind}'");
        if (!reader.TryReadTo(out ReadOnlySequence<byte> line, "\r\n"u8))
        {
            Require(reader.Remaining <= 16, "Protocol error: too long a number");
            return false;
        }

        Require(int.TryParse(Encoding.Latin1.GetString(line.Slice(1)), out length) && length >= 0 && length <= most, $"Protocol error: not a number up to {most}");
        return true;
    }

    private string Answer(string[] words) => (words is [var name, ..] ? name.ToUpperInvariant() : "", words) switch
    {
        ("PING", [_]) => "+PONG",
        ("GET", [_, var key]) => entries.TryGetValue(key, out Entry? entry) && entry.IsAlive ? $"${entry.Value.Length}\r\n{entry.Value}" : "$-1",
        ("SET", [_, var key, var value]) => Set(key, value),
        ("DEL", [_, .. var keys]) => $":{keys.Count(key => entries.TryRemove(key, out Entry? entry) && entry.IsAlive)}",
        ("INCR", [_, var key]) => Increment(key),
        ("EXPIRE", [_, var key, var text]) when int.TryParse(text, out int seconds) => Expire(key, seconds) ? ":1" : ":0",
        _ => "-ERR unknown command or wrong arguments",
    };

    private string Set(string key, string value)
    {
        entries[key] = new Entry(value);
        return "+OK";
    }

    private string Increment(string key)
    {
        try
        {
            return ":" + entries.AddOrUpdate(
                key,
                static _ => new Entry("1"),
                static (_, old) => old.IsAlive ? old with { Value = $"{checked(long.Parse(old.Value, null) + 1)}" } : new Entry("1")).Value;
        }
        catch (Exception exception) when (exception is FormatException or OverflowException)
        {
            return "-ERR value is not an integer or out of range";
        }
    }

    private bool Expire(string key, int seconds) => entries.TryGetValue(key, out Entry? entry) && entry.IsAlive
        && (entries.TryUpdate(key, entry with { DueMs = Environment.TickCount64 + (seconds * 1000L) }, entry) || Expire(key, seconds));

    private static void Require(bool condition, string otherwise) => _ = condition ? true : throw new InvalidDataException(otherwise);
}

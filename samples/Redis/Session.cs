using System.Buffers;
using System.Collections.Concurrent;
using System.IO.Pipelines;
using System.Text;
using Ioxide;

/// <summary>One connection: reads commands, however they are cut, and answers those that have come in as few sends as fit.</summary>
/// <remarks>Everything here runs on the connection's reactor, one piece after another: so nothing is locked.</remarks>
internal sealed class Session(
    RingConnection connection, ConcurrentDictionary<string, Entry> entries, Channels channels, TimeSpan idleLimit)
{
    private const int MaxChannels = 64;
    private const int MaxUndeliveredBytes = 8 * 1024 * 1024;
    private const int MaxUnflushedBytes = 64 * 1024;
    private const int MaxWords = 1024;
    private const int MaxWordBytes = 512 * 1024;
    private const int MaxCommandBytes = 1024 * 1024;

    private readonly HashSet<string> _channels = [];
    private readonly Queue<string> _undelivered = new();
    private int _undeliveredBytes;
    private bool _isIdle;

    // The command that is being read: no byte of it is parsed again when the next ones come. A length of -1 is not known yet.
    private readonly List<string> _words = [];
    private int _wordsToCome = -1;
    private int _wordLength = -1;
    private long _parsedBytes;
    private bool _hasBegun;

    internal Reactor Reactor => connection.Reactor;

    /// <summary>The session is the runtime's side, not the application's: its awaits resume on the reactor, also while a handler blocks there.</summary>
    internal Task RunAsync()
    {
        using ContextScope scope = Reactor.EnterRuntime();
        return ServeAsync();
    }

    /// <summary>A message for this session. It is sent when the session next has control, at once if it waits for commands.</summary>
    internal void Deliver(string message)
    {
        if (_undeliveredBytes + message.Length > MaxUndeliveredBytes)
        {
            connection.Abort(new IOException("The subscriber does not read its messages."));
            return;
        }

        _undelivered.Enqueue(message);
        _undeliveredBytes += message.Length;
        connection.Input.CancelPendingRead();
    }

    private async Task ServeAsync()
    {
        try
        {
            await AnswerAllAsync();
        }
        finally
        {
            foreach (string channel in _channels)
            {
                channels.Remove(channel, this);
            }
        }
    }

    private async Task AnswerAllAsync()
    {
        var idle = new ReactorTimer(Reactor, static session => ((Session)session!).EndIdle(), this);
        for (bool isOpen = true, isRenewed = true; isOpen;)
        {
            if (isRenewed)
            {
                // Before a command, and again for the whole of it: a client that sends a byte now and then gets no more.
                idle.Set(idleLimit);
                isRenewed = false;
            }

            ReadResult read = await connection.Input.ReadAsync();
            ReadOnlySequence<byte> rest = read.Buffer;
            isOpen = !read.IsCompleted;
            try
            {
                while (TryReadCommand(ref rest, out string[] words))
                {
                    // While answers wait for the client, the send timeout counts.
                    idle.Stop();
                    isRenewed = true;
                    Encoding.Latin1.GetBytes(Answer(words) + "\r\n", connection.Output);
                    if (connection.Output.UnflushedBytes > MaxUnflushedBytes)
                    {
                        // Few bytes may ask for many. This waits for a client that does not read its answers.
                        await connection.Output.FlushAsync();
                    }
                }

                while (_undelivered.TryDequeue(out string? message))
                {
                    _undeliveredBytes -= message.Length;
                    Encoding.Latin1.GetBytes(message, connection.Output);
                }

                // What has not come whole is kept: it must not grow for ever.
                long keptBytes = _parsedBytes + rest.Length;
                Require(keptBytes <= MaxCommandBytes, $"Protocol error: a command of more than {MaxCommandBytes} bytes");
                isRenewed |= keptBytes > 0 && !_hasBegun;
                _hasBegun = keptBytes > 0;
                Require(!_isIdle, "the connection was idle for too long");
            }
            catch (InvalidDataException refused)
            {
                Encoding.Latin1.GetBytes($"-ERR {refused.Message}\r\n", connection.Output);
                isOpen = false;
            }

            connection.Input.AdvanceTo(rest.Start, rest.End);
            await connection.Output.FlushAsync();
        }

        idle.Stop();
    }

    private void EndIdle()
    {
        // Who listens may be silent, but not within a command.
        _isIdle = _channels.Count == 0 || _hasBegun;
        connection.Input.CancelPendingRead();
    }

    /// <summary>Takes what has come of one command: <c>*2\r\n$3\r\nGET\r\n$1\r\nk\r\n</c>. False where it has not come whole.</summary>
    private bool TryReadCommand(ref ReadOnlySequence<byte> buffer, out string[] words)
    {
        var reader = new SequenceReader<byte>(buffer);
        bool isWhole = TryReadWords(ref reader);
        buffer = reader.UnreadSequence;
        _parsedBytes = isWhole ? 0 : _parsedBytes + reader.Consumed;
        words = isWhole ? [.. _words] : [];
        if (isWhole)
        {
            _words.Clear();
            _wordsToCome = -1;
        }

        return isWhole;
    }

    private bool TryReadWords(ref SequenceReader<byte> reader)
    {
        if (_wordsToCome < 0 && !TryReadLength(ref reader, (byte)'*', MaxWords, out _wordsToCome))
        {
            return false;
        }

        for (; _wordsToCome > 0; _wordsToCome--)
        {
            if ((_wordLength < 0 && !TryReadLength(ref reader, (byte)'$', MaxWordBytes, out _wordLength)) || reader.Remaining < _wordLength + 2)
            {
                return false;
            }

            _words.Add(Encoding.Latin1.GetString(reader.UnreadSequence.Slice(0, _wordLength)));
            reader.Advance(_wordLength);
            _wordLength = -1;
            Require(reader.IsNext("\r\n"u8, advancePast: true), "Protocol error: a word is longer than it says");
        }

        return true;
    }

    private static bool TryReadLength(ref SequenceReader<byte> reader, byte kind, int most, out int length)
    {
        length = -1;
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
        ("SUBSCRIBE", [_, var channel]) => Subscribe(channel),
        ("PUBLISH", [_, var channel, var text])
            => $":{channels.Publish(channel, $"*3\r\n$7\r\nmessage\r\n${channel.Length}\r\n{channel}\r\n${text.Length}\r\n{text}\r\n")}",
        ("INCR", [_, var key]) => Increment(key),
        ("EXPIRE", [_, var key, var text]) when int.TryParse(text, out int seconds) => Expire(key, seconds) ? ":1" : ":0",
        _ => "-ERR unknown command or wrong arguments",
    };

    private string Subscribe(string channel)
    {
        if (_channels.Count == MaxChannels)
        {
            return "-ERR too many channels";
        }

        if (_channels.Add(channel))
        {
            channels.Add(channel, this);
        }

        return $"*3\r\n$9\r\nsubscribe\r\n${channel.Length}\r\n{channel}\r\n:{_channels.Count}";
    }

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

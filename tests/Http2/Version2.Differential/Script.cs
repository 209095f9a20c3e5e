using System.Globalization;

namespace Ioxide.Http2.Tests;

/// <summary>What a client sends over one connection, drawn from a seed: good requests at the same time, odd frames, and hostile ones.</summary>
internal sealed class Script
{
    private static readonly uint[] s_windows = [1, 2, 3, 16, 100, 1_000, 16_383, 16_384, 16_385, 65_534, 65_535];

    private static readonly string[] s_methods = ["GET", "GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "OWN"];

    private readonly Random _random;
    private readonly BlockWriter _blocks;
    private int _nextStream = 1;

    internal Script(int seed)
    {
        _random = new Random(seed);
        _blocks = new BlockWriter(_random);
        Window = _random.Next(3) == 0 ? (uint)_random.Next(1, 65_536) : s_windows[_random.Next(s_windows.Length)];
        int count = _random.Next(1, 6);
        for (int index = 0; index < count; index++)
        {
            Acts.Add(_random.Next(5) == 0 ? Case.All[_random.Next(Case.All.Count)].ToAct(TakeStream()) : Exchanges());
        }

        if (_random.Next(2) == 0)
        {
            Acts.Add(new FrameInState(_random, _nextStream, Window).Draw());
        }
    }

    /// <summary>The client's initial window of each stream, 1 to 65,535.</summary>
    internal uint Window { get; }

    internal List<Act> Acts { get; } = [];

    private int TakeStream()
    {
        int stream = _nextStream;
        _nextStream += 2 * _random.Next(1, 3);
        return stream;
    }

    /// <summary>One to five requests whose frames are mixed.</summary>
    private Act Exchanges()
    {
        List<Queue<Func<byte[]>>> streams = [];
        List<int> answered = [];
        List<string> names = [];
        for (int count = _random.Next(1, 6); count > 0; count--)
        {
            int stream = TakeStream();
            streams.Add(Exchange(stream, out bool isAnswered, out string name));
            names.Add(name);
            if (isAnswered)
            {
                answered.Add(stream);
            }
        }

        // Streams are opened in the order of their numbers.
        List<byte[]> frames = [.. streams.Select(static stream => stream.Dequeue()())];
        while (streams.Count > 0)
        {
            Queue<Func<byte[]>> stream = streams[_random.Next(streams.Count)];
            if (stream.TryDequeue(out Func<byte[]>? next))
            {
                frames.Add(next());
            }
            else
            {
                streams.Remove(stream);
            }
        }

        return new Act(string.Join(" + ", names), frames, [.. answered], []);
    }

    private Queue<Func<byte[]>> Exchange(int stream, out bool isAnswered, out string name)
    {
        string does = ScriptedApplication.Does[_random.Next(ScriptedApplication.Does.Length)];
        string method = s_methods[_random.Next(s_methods.Length)];
        bool hasBody = method is "POST" or "PUT" or "PATCH" or "OWN" || _random.Next(8) == 0;
        bool hasTrailers = hasBody && _random.Next(4) == 0;
        byte[][] pieces = hasBody ? [.. Enumerable.Range(0, _random.Next(0, 5)).Select(_ => Text(_random.Next(0, 200)))] : [];
        List<(string, string)> fields =
        [
            (":method", method), (":scheme", "http"), (":path", $"/do/{does}?{Length().ToString(CultureInfo.InvariantCulture)}"),
            (":authority", "localhost"), .. OtherFields(hasBody, pieces.Sum(static piece => piece.Length)),
        ];

        Queue<Func<byte[]>> frames = new();
        bool endsAtOnce = !hasBody;
        frames.Enqueue(() => Headers(stream, endsAtOnce, fields));
        for (int index = 0; index < pieces.Length; index++)
        {
            byte[] piece = pieces[index];
            bool isEnd = !hasTrailers && index == pieces.Length - 1;
            frames.Enqueue(() => Data(stream, piece, isEnd));
        }

        if (hasTrailers)
        {
            frames.Enqueue(() => Headers(stream, true, [("sum", "1"), ("x-more", "two")]));
        }
        else if (hasBody && pieces.Length == 0)
        {
            frames.Enqueue(() => Data(stream, [], true));
        }

        isAnswered = _random.Next(8) > 0;
        name = $"{method} {does}{(hasTrailers ? " with trailers" : "")}{(isAnswered ? "" : ", reset")}";
        if (!isAnswered)
        {
            int kept = _random.Next(1, frames.Count + 1);
            frames = new Queue<Func<byte[]>>(frames.Take(kept));
            frames.Enqueue(() => FrameClient.Number(Http2FrameType.RstStream, stream, (uint)_random.Next(0, 14)));
        }

        Sprinkle(frames, stream);
        return frames;
    }

    private IEnumerable<(string, string)> OtherFields(bool hasBody, int bodyBytes)
    {
        if (hasBody && _random.Next(2) == 0)
        {
            yield return ("content-length", bodyBytes.ToString(CultureInfo.InvariantCulture));
        }

        if (hasBody && _random.Next(4) == 0)
        {
            yield return ("expect", _random.Next(4) == 0 ? "100-Continue" : "100-continue");
        }

        for (int count = _random.Next(0, 4); count > 0; count--)
        {
            yield return _random.Next(5) switch
            {
                0 => ("cookie", $"a{_random.Next(3)}=1"),
                1 => ("accept", "*/*"),
                2 => ("accept-encoding", "gzip, deflate"),
                3 => ("te", "trailers"),
                _ => ($"x-{_random.Next(4)}", new string((char)('a' + _random.Next(26)), _random.Next(0, 60))),
            };
        }
    }

    /// <summary>Frames that change nothing, between those of an exchange.</summary>
    private void Sprinkle(Queue<Func<byte[]>> frames, int stream)
    {
        for (int count = frames.Count; count > 0; count--)
        {
            frames.Enqueue(frames.Dequeue());
            if (count > 1 && _random.Next(6) == 0)
            {
                frames.Enqueue(_random.Next(4) switch
                {
                    0 => () => FrameClient.Frame(Http2FrameType.Priority, Http2FrameFlags.None, stream, 0, 0, 0, 0, 7),
                    1 => () => FrameClient.Number(Http2FrameType.WindowUpdate, stream, 1000),
                    2 => () => FrameClient.Frame((Http2FrameType)0xBE, (Http2FrameFlags)0xFF, stream, 1, 2, 3),
                    _ => () => FrameClient.Settings((0xFFFF, 1)),
                });
            }
        }
    }

    private byte[] Headers(int stream, bool ends, IEnumerable<(string, string)> fields)
    {
        byte[] block = _blocks.Write(fields);
        Http2FrameFlags flags = ends ? Http2FrameFlags.EndStream : Http2FrameFlags.None;
        int first = _random.Next(3) == 0 ? _random.Next(0, block.Length) : block.Length;
        List<byte> payload = [.. block.AsSpan(0, first)];
        if (_random.Next(5) == 0)
        {
            flags |= Http2FrameFlags.Priority;
            payload.InsertRange(0, [(byte)(_random.Next(2) << 7), 0, 0, 0, (byte)_random.Next(256)]);
        }

        // Kestrel refuses HEADERS that are nothing but padding: see AllowedDifferences.
        flags |= first > 0 ? Pad(payload) : Http2FrameFlags.None;
        flags |= first == block.Length ? Http2FrameFlags.EndHeaders : Http2FrameFlags.None;
        List<byte> bytes = [.. FrameClient.Frame(Http2FrameType.Headers, flags, stream, [.. payload])];
        for (int start = first; start < block.Length;)
        {
            int length = _random.Next(0, block.Length - start + 1);
            bool isLast = start + length == block.Length;
            bytes.AddRange(FrameClient.Frame(
                Http2FrameType.Continuation, isLast ? Http2FrameFlags.EndHeaders : Http2FrameFlags.None, stream, block.AsSpan(start, length)));
            start += length;
        }

        return [.. bytes];
    }

    private byte[] Data(int stream, byte[] content, bool ends)
    {
        List<byte> payload = [.. content];
        Http2FrameFlags flags = Pad(payload) | (ends ? Http2FrameFlags.EndStream : Http2FrameFlags.None);
        return FrameClient.Frame(Http2FrameType.Data, flags, stream, [.. payload]);
    }

    private Http2FrameFlags Pad(List<byte> payload)
    {
        if (_random.Next(4) > 0)
        {
            return Http2FrameFlags.None;
        }

        int padding = _random.Next(4) == 0 ? 255 : _random.Next(0, 20);
        payload.Insert(0, (byte)padding);
        payload.AddRange(new byte[padding]);
        return Http2FrameFlags.Padded;
    }

    private byte[] Text(int length) => [.. Enumerable.Range(0, length).Select(_ => (byte)_random.Next('a', 'z' + 1))];

    /// <summary>An answer's length, so that a small window does not mean a thousand updates.</summary>
    private int Length() => _random.Next(0, (int)Math.Min(Window * 20, 100_000));
}

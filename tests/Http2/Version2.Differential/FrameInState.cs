namespace Ioxide.Http2.Tests;

/// <summary>Brings a stream into one of the states of RFC 9113, section 5.1, and sends one frame of any kind to it.</summary>
internal sealed class FrameInState(Random random, int nextStream, uint window)
{
    private static readonly string[] s_states = ["idle", "open", "half closed", "closed", "reset by the client", "reset by the server", "even", "none"];

    private static readonly byte[] s_get = FrameClient.Block((":method", "GET"), (":scheme", "http"), (":path", "/do/echo"), (":authority", "localhost"));

    internal Act Draw()
    {
        string state = s_states[random.Next(s_states.Length)];
        int stream = state switch
        {
            "even" => 2,
            "none" => 0,
            "idle" => nextStream + 2,
            _ => nextStream,
        };
        List<byte[]> frames = [];
        int[] answered = [];
        switch (state)
        {
            case "open":
                frames.Add(FrameClient.Request(stream, "/do/echo", ends: false, method: "POST"));
                break;
            case "half closed":
                // The answer is longer than the window, and stays until it is reset.
                frames.Add(FrameClient.Request(stream, $"/do/large?{window + 10}"));
                break;
            case "closed":
                frames.Add(FrameClient.Request(stream, "/do/empty"));
                answered = [stream];
                break;
            case "reset by the client":
                frames.Add(FrameClient.Request(stream, "/do/echo", ends: false, method: "POST"));
                frames.Add(FrameClient.Number(Http2FrameType.RstStream, stream, 8));
                break;
            case "reset by the server":
                frames.Add(FrameClient.Request(stream, "/do/echo", ends: false, method: "POST", others: ("content-length", "9")));
                frames.Add(FrameClient.Data(stream, "body"u8, ends: true));
                answered = [stream];
                break;
        }

        (string name, byte[] frame) = Frame(stream, state == "half closed");
        return new Act($"{name}, {state}", [.. frames, .. answered.Length > 0 ? (byte[][])[[]] : [], frame], answered, state == "half closed" ? [stream] : [], stream);
    }

    private (string Name, byte[] Bytes) Frame(int stream, bool isHalfClosed)
    {
        (string name, Http2FrameType type, byte[] payload) = random.Next(14) switch
        {
            0 => ("DATA", Http2FrameType.Data, new byte[random.Next(0, 40)]),
            1 => ("DATA of a frame", Http2FrameType.Data, new byte[16_384]),
            2 => ("HEADERS", Http2FrameType.Headers, s_get),
            3 => ("trailers", Http2FrameType.Headers, FrameClient.Block(("sum", "1"))),
            4 => ("PRIORITY", Http2FrameType.Priority, [0, 0, 0, 0, 7]),
            5 => ("RST_STREAM", Http2FrameType.RstStream, [0, 0, 0, 8]),
            6 => ("SETTINGS", Http2FrameType.Settings, [0, 3, 0, 0, 0, 9]),
            7 => ("PUSH_PROMISE", Http2FrameType.PushPromise, [0, 0, 0, 2, .. s_get]),
            8 => ("PING", Http2FrameType.Ping, new byte[8]),
            9 when stream != 0 => ("GOAWAY", Http2FrameType.GoAway, new byte[8]),
            10 => ("WINDOW_UPDATE", Http2FrameType.WindowUpdate, [0, 0, 0, 1]),
            11 when !isHalfClosed => ("WINDOW_UPDATE of 2^31 - 1", Http2FrameType.WindowUpdate, [0x7F, 0xFF, 0xFF, 0xFF]),
            12 => ("CONTINUATION", Http2FrameType.Continuation, s_get),
            _ => ("an unknown frame", (Http2FrameType)random.Next(10, 256), new byte[random.Next(0, 20)]),
        };
        Http2FrameFlags flags = (Http2FrameFlags)(random.Next(2) == 0 ? type is Http2FrameType.Headers ? 4 : 0 : random.Next(256));
        if (type is Http2FrameType.Headers)
        {
            // A block that does not end would swallow the ping.
            flags |= Http2FrameFlags.EndHeaders;
            payload =
            [
                .. flags.HasFlag(Http2FrameFlags.Padded) ? (byte[])[0] : [],
                .. flags.HasFlag(Http2FrameFlags.Priority) ? (byte[])[0, 0, 0, 0, 7] : [],
                .. payload,
            ];
        }

        if (random.Next(5) == 0)
        {
            payload = random.Next(2) == 0 ? payload[..^Math.Min(payload.Length, 1)] : [.. payload, 0];
            name += ", of another length";
        }

        return ($"{name} {(int)flags & 0x2D:x}", FrameClient.Frame(type, flags, stream, payload));
    }
}

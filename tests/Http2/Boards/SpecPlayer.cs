using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Ioxide.Http2.Tests;

/// <summary>Plays cases to one server, each on a connection of its own.</summary>
/// <param name="endPoint">The server.</param>
/// <param name="patience">How long what must come is waited for.</param>
/// <param name="shortPatience">The same, where a stream has ended.</param>
internal sealed class SpecPlayer(IPEndPoint endPoint, TimeSpan patience, TimeSpan shortPatience)
{
    private const int MostShown = 4;

    /// <summary>Plays a case and says what its answer is worth.</summary>
    internal async Task<Verdict> PlayAsync(SpecCase played)
    {
        using FrameClient client = await FrameClient.ConnectAsync(endPoint, null);
        List<string> seen = [];
        bool isPass = await PlayAsync(client, played, seen);
        string shown = string.Join(", ", seen.TakeLast(MostShown));
        return isPass ? Verdict.Pass(shown) : Verdict.Fail(shown);
    }

    private async Task<bool> PlayAsync(FrameClient client, SpecCase played, List<string> seen)
    {
        Dictionary<ushort, uint> settings = [];
        if (played.ShakesHands && !await ShakeHandsAsync(client, settings, seen))
        {
            return false;
        }

        foreach (SpecStep step in played.Steps)
        {
            await TrySendAsync(client, step.Bytes(settings));
            if (step.Until is { } until && !await WatchAsync(client, until, seen))
            {
                return false;
            }
        }

        seen.Clear();
        return await WatchAsync(client, played.Expects, seen);
    }

    private async Task<bool> ShakeHandsAsync(FrameClient client, Dictionary<ushort, uint> settings, List<string> seen)
    {
        bool hasSettings = false;
        bool isAcknowledged = false;
        await TrySendAsync(client, [.. Http2Connection.Preface, .. FrameClient.Settings()]);
        SpecJudge hands = new(frame =>
        {
            if (frame is { Type: Http2FrameType.Settings, IsAnswer: false })
            {
                for (int offset = 0; offset < frame.Payload.Length; offset += 6)
                {
                    ReadOnlySpan<byte> setting = frame.Payload.AsSpan(offset);
                    settings[BinaryPrimitives.ReadUInt16BigEndian(setting)] = BinaryPrimitives.ReadUInt32BigEndian(setting[2..]);
                }
            }

            hasSettings |= frame is { Type: Http2FrameType.Settings, IsAnswer: false };
            isAcknowledged |= frame is { Type: Http2FrameType.Settings, IsAnswer: true };
            return frame is null ? false : hasSettings && isAcknowledged ? true : null;
        });
        bool areShaken = await WatchAsync(client, hands, seen);
        await TrySendAsync(client, FrameClient.Frame(Http2FrameType.Settings, Http2FrameFlags.EndStream, 0));
        return areShaken;
    }

    /// <summary>Reads until the judge has decided, the connection has ended, or nothing comes in time.</summary>
    private async Task<bool> WatchAsync(FrameClient client, SpecJudge judge, List<string> seen)
    {
        TimeSpan limit = patience;
        while (true)
        {
            Task<Frame?> reading = client.ReadAnyAsync();
            if (await Task.WhenAny(reading, Task.Delay(limit)) != reading)
            {
                seen.Add("silent");
                Waits.Observe(reading);
                return false;
            }

            Frame? frame = await reading;
            if (frame is not { Type: Http2FrameType.WindowUpdate })
            {
                seen.Add(Show(frame));
            }

            if (judge.Of(frame) is { } decided)
            {
                return decided;
            }

            if (frame is null)
            {
                return false;
            }

            if (frame.Type is Http2FrameType.RstStream or Http2FrameType.GoAway || (frame.StreamId > 0 && frame.EndsStream))
            {
                limit = shortPatience;
            }
        }
    }

    private static async Task TrySendAsync(FrameClient client, byte[] bytes)
    {
        try
        {
            await client.SendAsync(bytes);
        }
        catch (SocketException)
        {
            // The server has ended the connection; the next read says how.
        }
    }

    private static string Show(Frame? frame) => frame switch
    {
        null => "closed",
        { Type: Http2FrameType.Headers } => $"HEADERS {frame[":status"]}",
        { Type: Http2FrameType.Data } => $"DATA {frame.Payload.Length}",
        { Type: Http2FrameType.RstStream } => $"RST {frame.Code}",
        { Type: Http2FrameType.GoAway } => $"GOAWAY {frame.Code}",
        { IsAnswer: true } => $"{frame.Type} answered",
        _ => $"{frame.Type}",
    };
}

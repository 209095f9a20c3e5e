using System.Net.Sockets;

namespace Ioxide.Http2.Tests;

/// <summary>Plays the steps of a script on one connection, gives windows back as it reads, and says what came of each step.</summary>
internal sealed class Player(FrameClient client)
{
    /// <summary>The end of a connection whose bytes a reset may have taken along.</summary>
    internal const string Lost = "GOAWAY, lost to a reset";

    private static readonly byte[] s_mark = [.. "the mark"u8];

    private readonly Dictionary<int, StreamTrace> _streams = [];
    private bool _isMarked;
    private bool _hasFailed;
    private string? _end;
    private string? _watchedReset;

    /// <summary>The connection is over, so that nothing more can be played.</summary>
    internal bool HasEnded => _end is not null;

    internal async Task<string> PlayAsync(Act act)
    {
        _isMarked = false;
        _watchedReset = null;
        foreach (int stream in act.Answered)
        {
            _streams[stream] = new StreamTrace();
        }

        try
        {
            List<byte> bytes = [];
            foreach (byte[] frame in act.Frames)
            {
                if (frame.Length > 0)
                {
                    bytes.AddRange(frame);
                    continue;
                }

                await client.SendAsync(bytes.ToArray());
                bytes.Clear();
                await ReadUntilAsync(act, () => act.Answered.All(stream => _streams[stream].IsOver));
            }

            bytes.AddRange(FrameClient.Frame(Http2FrameType.Ping, Http2FrameFlags.None, 0, s_mark));
            await client.SendAsync(bytes.ToArray());
        }
        catch (SocketException)
        {
            // The server has ended the connection while this side was sending; its GOAWAY may still be there.
            _hasFailed = true;
        }

        await ReadUntilAsync(act, () => _isMarked && act.Answered.All(stream => _streams[stream].IsOver));
        return _end ?? string.Join("; ", act.Answered.Select(stream => _streams[stream].ToString()).Append(_watchedReset).Where(static text => text is not null));
    }

    private async Task ReadUntilAsync(Act act, Func<bool> isEnough)
    {
        while (_end is null && !isEnough())
        {
            Frame? frame = await client.ReadAnyAsync();
            if (frame is null)
            {
                _end = _hasFailed || client.WasReset ? Lost : "an end without GOAWAY";
            }
            else if (frame.Type == Http2FrameType.GoAway)
            {
                _end = $"GOAWAY {frame.Code}";
            }
            else
            {
                await TakeAsync(act, frame);
            }
        }
    }

    private async Task TakeAsync(Act act, Frame frame)
    {
        bool isCompared = _streams.TryGetValue(frame.StreamId, out StreamTrace? trace) && !trace.IsOver;
        switch (frame.Type)
        {
            case Http2FrameType.Ping when frame.Payload.AsSpan().SequenceEqual(s_mark):
                _isMarked = true;
                break;
            case Http2FrameType.RstStream when isCompared:
                trace!.OnReset(frame.Code);
                break;
            case Http2FrameType.RstStream when frame.StreamId == act.Watched && !_isMarked && frame.Code != Http2ErrorCode.NoError:
                _watchedReset = $"RST {frame.Code}";
                break;
            case Http2FrameType.Headers when isCompared:
                trace!.OnHeaders(frame);
                break;
            case Http2FrameType.Data:
                if (isCompared)
                {
                    trace!.OnData(frame);
                }

                await CreditAsync(act, frame);
                break;
        }
    }

    private async Task CreditAsync(Act act, Frame frame)
    {
        if (frame.Payload.Length == 0)
        {
            return;
        }

        bool isStreamOpen = !frame.EndsStream && !act.Held.Contains(frame.StreamId);
        byte[] updates =
        [
            .. isStreamOpen ? FrameClient.Number(Http2FrameType.WindowUpdate, frame.StreamId, (uint)frame.Payload.Length) : [],
            .. FrameClient.Number(Http2FrameType.WindowUpdate, 0, (uint)frame.Payload.Length),
        ];
        try
        {
            await client.SendAsync(updates);
        }
        catch (SocketException)
        {
            // The server has ended the connection; the next read says how.
            _hasFailed = true;
        }
    }
}

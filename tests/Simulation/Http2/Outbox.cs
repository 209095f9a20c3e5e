using System.Buffers.Binary;
using System.Text;
using Ioxide.Http2;

namespace Ioxide.Simulation;

/// <summary>Everything that a peer says, and how much of it has arrived.</summary>
internal sealed class Outbox
{
    private readonly Queue<(int End, Action Arrived)> _marks = new();
    private byte[] _bytes = new byte[512];
    private int _length;
    private int _delivered;

    internal int Waiting => _length - _delivered;

    internal void Add(ReadOnlySpan<byte> bytes)
    {
        if (_length + bytes.Length > _bytes.Length)
        {
            Array.Resize(ref _bytes, Math.Max(_bytes.Length * 2, _length + bytes.Length));
        }

        bytes.CopyTo(_bytes.AsSpan(_length));
        _length += bytes.Length;
    }

    internal void AddFrame(Http2FrameType type, Http2FrameFlags flags, int streamId, ReadOnlySpan<byte> payload)
    {
        Span<byte> head = stackalloc byte[Http2FrameHeader.SizeInBytes];
        new Http2FrameHeader(payload.Length, type, flags, streamId).Write(head);
        Add(head);
        Add(payload);
    }

    internal void AddNumber(Http2FrameType type, int streamId, int number)
    {
        Span<byte> payload = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(payload, number);
        AddFrame(type, Http2FrameFlags.None, streamId, payload);
    }

    internal void AddSetting(Http2SettingId id, int value)
    {
        Span<byte> payload = stackalloc byte[6];
        BinaryPrimitives.WriteUInt16BigEndian(payload, (ushort)id);
        BinaryPrimitives.WriteInt32BigEndian(payload[2..], value);
        AddFrame(Http2FrameType.Settings, Http2FrameFlags.None, 0, payload);
    }

    /// <summary>A header block in one frame or in several, cut anywhere.</summary>
    internal void AddBlock(Dice dice, int streamId, bool endsStream, params ReadOnlySpan<(string Name, string Value)> fields)
    {
        List<byte> block = [];
        foreach ((string name, string value) in fields)
        {
            block.Add(0);
            AddText(block, name);
            AddText(block, value);
        }

        ReadOnlySpan<byte> rest = block.ToArray();
        Http2FrameType type = Http2FrameType.Headers;
        Http2FrameFlags flags = endsStream ? Http2FrameFlags.EndStream : Http2FrameFlags.None;
        while (dice.Chance(200))
        {
            int piece = dice.Between(0, rest.Length);
            AddFrame(type, flags, streamId, rest[..piece]);
            rest = rest[piece..];
            (type, flags) = (Http2FrameType.Continuation, Http2FrameFlags.None);
        }

        AddFrame(type, flags | Http2FrameFlags.EndHeaders, streamId, rest);
    }

    /// <summary>Calls it as soon as what was added so far has arrived.</summary>
    internal void WhenArrived(Action action) => _marks.Enqueue((_length, action));

    /// <summary>So many bytes more arrive.</summary>
    internal void Deliver(int count)
    {
        _delivered += count;
        while (_marks.TryPeek(out (int End, Action Arrived) mark) && mark.End <= _delivered)
        {
            _marks.Dequeue().Arrived();
        }
    }

    internal void CopyTo(Span<byte> target, long offset) => _bytes.AsSpan((int)offset, target.Length).CopyTo(target);

    private static void AddText(List<byte> block, string text)
    {
        Span<byte> number = stackalloc byte[HpackInteger.MaxBytes];
        block.AddRange(number[..HpackInteger.Write(number, 7, text.Length, 0)]);
        block.AddRange(Encoding.ASCII.GetBytes(text));
    }
}

using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>One frame that a server sent; its fields, where it is HEADERS.</summary>
internal sealed record Frame(Http2FrameType Type, Http2FrameFlags Flags, int StreamId, byte[] Payload, IReadOnlyList<Field>? Fields = null)
{
    internal bool EndsStream => (Flags & Http2FrameFlags.EndStream) != 0;

    internal bool IsAnswer => (Flags & Http2FrameFlags.EndStream) != 0;

    internal string Text => Encoding.UTF8.GetString(Payload);

    internal string? this[string name] => Fields?.LastOrDefault(field => field.Name == name)?.Value;

    /// <summary>Of RST_STREAM and GOAWAY.</summary>
    internal Http2ErrorCode Code => (Http2ErrorCode)System.Buffers.Binary.BinaryPrimitives.ReadUInt32BigEndian(
        Payload.AsSpan(Type == Http2FrameType.GoAway ? 4 : 0));

    /// <summary>Of WINDOW_UPDATE, and the last stream of GOAWAY.</summary>
    internal int Number => System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(Payload);

    public override string ToString()
        => $"{Type} {Flags} {StreamId} {(Fields is null ? Convert.ToHexStringLower(Payload) : string.Join(", ", Fields.Select(field => $"{field.Name}: {field.Value}")))}";
}

using static Ioxide.Http2.Http2ErrorCode;
using static Ioxide.Http2.Tests.SpecFrames;
using static Ioxide.Http2.Tests.SpecJudge;

namespace Ioxide.Http2.Tests;

/// <summary>Blocks that cannot be decoded (RFC 9113, 4.3: the connection ends with COMPRESSION_ERROR).</summary>
internal static class HpackCases
{
    // A literal without indexing whose new name is "x".
    private static readonly byte[] s_name = [0, 1, (byte)'x'];

    internal static SpecCase[] All { get; } =
    [
        // No entry has index 70: 61 are in the static table and none in the other.
        Case("hpack/2.3.3/1", "RFC 7541, 2.3.3", GetWith(0x80 | 70)),
        Case("hpack/2.3.3/2", "RFC 7541, 2.3.3", GetWith(Literal(0x40, 6, 70, "", "", isCoded: false))),
        Case("hpack/4.2/1", "RFC 7541, 4.2", GetWith(TableSize(1))),

        // 'a' is coded as 00011 and the rest of its byte is padding, a prefix of the code of the end of the string: ones.
        Case("hpack/5.2/1", "RFC 7541, 5.2", GetWith([.. s_name, 0x82, 0b00011_111, 0xff])),
        Case("hpack/5.2/2", "RFC 7541, 5.2", GetWith([.. s_name, 0x81, 0b00011_000])),
        Case("hpack/5.2/3", "RFC 7541, 5.2", GetWith([.. s_name, 0x84, 0xff, 0xff, 0xff, 0xff])),

        Case("hpack/6.1/1", "RFC 7541, 6.1", GetWith(0x80)),
        new("hpack/6.3/1", "RFC 7541, 6.3", ConnectionError(CompressionError), new SpecStep(static settings => Head(
            [.. TableSize((int)settings.GetValueOrDefault((ushort)Http2SettingId.HeaderTableSize, 4096u) + 1), .. GetBlock]))),
    ];

    private static SpecCase Case(string id, string source, byte[] head) => new(id, source, ConnectionError(CompressionError), head);
}

namespace Ioxide.Http2;

/// <summary>Frame flags. Their meaning depends on the frame type; unknown ones are ignored.</summary>
[Flags]
internal enum Http2FrameFlags : byte
{
    None = 0,

    /// <summary>DATA, HEADERS: the sender's last frame on the stream. SETTINGS, PING: an answer.</summary>
    EndStream = 0x1,

    /// <summary>HEADERS, CONTINUATION: the block ends here.</summary>
    EndHeaders = 0x4,

    /// <summary>DATA, HEADERS: the payload begins with the length of its padding.</summary>
    Padded = 0x8,

    /// <summary>HEADERS: five bytes of priority precede the block.</summary>
    Priority = 0x20,
}

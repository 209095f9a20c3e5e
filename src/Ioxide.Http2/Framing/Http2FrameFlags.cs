namespace Ioxide.Http2;

/// <summary>Flags of frames. What one means depends on the type; unknown ones are ignored.</summary>
[Flags]
internal enum Http2FrameFlags : byte
{
    None = 0,

    /// <summary>DATA, HEADERS: the last frame of this side's half. SETTINGS, PING: an answer.</summary>
    EndStream = 0x1,

    /// <summary>HEADERS, CONTINUATION: the block ends here.</summary>
    EndHeaders = 0x4,

    /// <summary>DATA, HEADERS: the payload begins with the length of its padding.</summary>
    Padded = 0x8,

    /// <summary>HEADERS: five bytes of priority stand before the block.</summary>
    Priority = 0x20,
}

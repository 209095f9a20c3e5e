namespace Ioxide.Http2;

/// <summary>Settings in a SETTINGS frame (RFC 9113, section 6.5.2, and RFC 8441). Unknown ones are ignored.</summary>
internal enum Http2SettingId : ushort
{
    HeaderTableSize = 0x1,
    EnablePush = 0x2,
    MaxConcurrentStreams = 0x3,
    InitialWindowSize = 0x4,
    MaxFrameSize = 0x5,
    MaxHeaderListSize = 0x6,
    EnableConnectProtocol = 0x8,
}

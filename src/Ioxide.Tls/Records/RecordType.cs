namespace Ioxide.Tls;

/// <summary>What a record carries. Source: RFC 8446, section 5.1.</summary>
internal enum RecordType : byte
{
    ChangeCipherSpec = 20,
    Alert = 21,
    Handshake = 22,
    ApplicationData = 23,
}

namespace Ioxide.Http2;

/// <summary>A request's trace identifier, as Kestrel writes it: the connection's, and the stream's number in eight hexadecimal digits.</summary>
internal static class TraceText
{
    private const int Digits = 8;

    /// <summary>The host asks for it once per request that it logs, so the text is written in one pass.</summary>
    internal static string Of(string connectionId, int streamId)
        => string.Create(connectionId.Length + 1 + Digits, (connectionId, streamId), static (text, of) =>
        {
            of.connectionId.CopyTo(text);
            text[of.connectionId.Length] = ':';
            uint rest = (uint)of.streamId;
            for (int index = text.Length - 1; index > of.connectionId.Length; index--)
            {
                text[index] = "0123456789ABCDEF"[(int)(rest & 0xF)];
                rest >>= 4;
            }
        });
}

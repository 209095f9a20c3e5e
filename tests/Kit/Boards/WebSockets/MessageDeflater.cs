using System.IO.Compression;

namespace Ioxide.TestKit;

/// <summary>A client's end of permessage-deflate. Source: RFC 7692, section 7.2.1.</summary>
internal sealed class MessageDeflater(DeflateAgreement agreement) : IDisposable
{
    private const int TailBytes = 4;
    private const int FullWindowBits = 15;

    private MemoryStream _output = new();
    private DeflateStream? _stream;

    /// <summary>The payload of a message: compressed, without the four bytes that each would end with.</summary>
    internal byte[] Deflate(byte[] message)
    {
        if (_stream is null || agreement.IsClientFresh)
        {
            _stream?.Dispose();
            _output = new MemoryStream();

            // The framework's stream has the full window alone: under a smaller one nothing is copied.
            CompressionLevel level = agreement.ClientWindowBits == FullWindowBits ? CompressionLevel.Optimal : CompressionLevel.NoCompression;
            _stream = new DeflateStream(_output, level, leaveOpen: true);
        }

        _output.SetLength(0);
        _stream.Write(message);
        _stream.Flush();
        return _output.ToArray()[..^TailBytes];
    }

    public void Dispose() => _stream?.Dispose();
}

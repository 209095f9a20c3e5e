namespace Ioxide.Http2.Tests;

/// <summary>What comes from a server, with the types of its TLS records, which TLS 1.2 does not hide.</summary>
internal sealed class RecordTypes(Stream inner) : Stream
{
    private const int HeaderBytes = 5;

    private readonly List<byte> _header = new(HeaderBytes);
    private int _left;

    /// <summary>Of the last record that began; 0 where none did.</summary>
    internal byte Last { get; private set; }

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int count = await inner.ReadAsync(buffer, cancellationToken);
        Note(buffer.Span[..count]);
        return count;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        => inner.WriteAsync(buffer, cancellationToken);

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    public override void Flush() => inner.Flush();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    private void Note(ReadOnlySpan<byte> bytes)
    {
        foreach (byte next in bytes)
        {
            if (_left > 0)
            {
                _left--;
                continue;
            }

            _header.Add(next);
            if (_header.Count == HeaderBytes)
            {
                Last = _header[0];
                _left = (_header[3] << 8) | _header[4];
                _header.Clear();
            }
        }
    }
}

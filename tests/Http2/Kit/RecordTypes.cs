namespace Ioxide.Http2.Tests;

/// <summary>What comes from a server, with the types of its TLS records, which TLS 1.2 does not hide.</summary>
internal sealed class RecordTypes(Stream inner) : PassThrough(inner)
{
    private const int HeaderBytes = 5;

    private readonly List<byte> _header = new(HeaderBytes);
    private int _left;

    /// <summary>Of the last record that began; 0 where none did.</summary>
    internal byte Last { get; private set; }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int count = await Inner.ReadAsync(buffer, cancellationToken);
        Note(buffer.Span[..count]);
        return count;
    }

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

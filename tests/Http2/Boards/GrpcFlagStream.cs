using System.Buffers.Binary;

namespace Ioxide.Http2.Tests;

/// <summary>A body of gRPC that is read through, and the flag of each message in it: whether it is compressed.</summary>
/// <param name="body">Each message: a flag, a length of four bytes, its bytes.</param>
/// <param name="flags">Gets a flag when the message's head has been read.</param>
internal sealed class GrpcFlagStream(Stream body, List<bool> flags) : Stream
{
    private const int HeadBytes = 5;

    private readonly byte[] _head = new byte[HeadBytes];
    private int _headBytes;
    private int _restBytes;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int count = await body.ReadAsync(buffer, cancellationToken);
        Note(buffer.Span[..count]);
        return count;
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
        => ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            body.Dispose();
        }

        base.Dispose(disposing);
    }

    private void Note(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (_restBytes > 0)
            {
                int skipped = Math.Min(_restBytes, bytes.Length);
                _restBytes -= skipped;
                bytes = bytes[skipped..];
                continue;
            }

            _head[_headBytes++] = bytes[0];
            bytes = bytes[1..];
            if (_headBytes == HeadBytes)
            {
                lock (flags)
                {
                    flags.Add(_head[0] == 1);
                }

                (_headBytes, _restBytes) = (0, BinaryPrimitives.ReadInt32BigEndian(_head.AsSpan(1)));
            }
        }
    }
}

using System.Buffers.Binary;

namespace Ioxide.TestKit;

/// <summary>Follows both directions of one PostgreSQL connection and tells where a message ends.</summary>
/// <remarks>
/// The client begins with messages that have no type: it may ask for encryption, which the server answers with one byte, and
/// then starts up. What comes after an agreed encryption, or after an impossible length, is not followed any more.
/// </remarks>
internal sealed class WireBoundaries
{
    private const uint CancelCode = 80877102;
    private const uint TlsCode = 80877103;
    private const uint GssCode = 80877104;

    private readonly Way[] _ways = [new Way(), new Way()];
    private bool _isStarted;
    private int _answersDue;
    private volatile bool _isOpaque;

    /// <summary>Whether messages cannot be told apart from here on.</summary>
    internal bool IsOpaque => _isOpaque;

    /// <summary>Takes the next bytes of a direction, at most up to the end of a message.</summary>
    /// <param name="direction">Whose bytes.</param>
    /// <param name="bytes">What came.</param>
    /// <param name="isEnd">Whether a message ends with the bytes taken.</param>
    /// <returns>How many bytes were taken; at least one.</returns>
    internal int Advance(Direction direction, ReadOnlySpan<byte> bytes, out bool isEnd)
    {
        isEnd = false;
        if (_isOpaque)
        {
            return bytes.Length;
        }

        Way way = _ways[(int)direction];
        if (direction == Direction.ToClient && _answersDue > 0 && way.HeaderCount == 0)
        {
            _answersDue--;
            _isOpaque = bytes[0] is (byte)'S' or (byte)'G';
            isEnd = true;
            return 1;
        }

        bool hasType = direction == Direction.ToClient || _isStarted;
        int taken = way.TakeHeader(bytes, hasType ? 5 : 8, out bool isHeaderComplete);
        if (!isHeaderComplete)
        {
            return taken;
        }

        if (way.Remaining < 0)
        {
            uint length = BinaryPrimitives.ReadUInt32BigEndian(way.Header.AsSpan(hasType ? 1 : 0));
            way.Remaining = (hasType ? 1L : 0L) + length - way.HeaderCount;
            if (way.Remaining < 0 || length > int.MaxValue)
            {
                _isOpaque = true;
                return bytes.Length;
            }
        }

        int more = (int)Math.Min(way.Remaining, bytes.Length - taken);
        way.Remaining -= more;
        if (way.Remaining == 0)
        {
            isEnd = true;
            if (!hasType)
            {
                NoteStart(BinaryPrimitives.ReadUInt32BigEndian(way.Header.AsSpan(4)));
            }

            way.Clear();
        }

        return taken + more;
    }

    private void NoteStart(uint code)
    {
        if (code is TlsCode or GssCode)
        {
            _answersDue++;
        }
        else if (code != CancelCode)
        {
            _isStarted = true;
        }
    }

    private sealed class Way
    {
        internal byte[] Header { get; } = new byte[8];

        internal int HeaderCount { get; private set; }

        /// <summary>Bytes of the message after its header; below 0 until its length is known.</summary>
        internal long Remaining { get; set; } = -1;

        internal int TakeHeader(ReadOnlySpan<byte> bytes, int headerBytes, out bool isComplete)
        {
            int count = Math.Min(headerBytes - HeaderCount, bytes.Length);
            bytes[..count].CopyTo(Header.AsSpan(HeaderCount));
            HeaderCount += count;
            isComplete = HeaderCount == headerBytes;
            return count;
        }

        internal void Clear()
        {
            HeaderCount = 0;
            Remaining = -1;
        }
    }
}

using System.Text;

namespace Ioxide.Pg.Data;

/// <summary>The characters of a value that is read as it arrives, from the last position on.</summary>
internal sealed class SequentialText(SequentialRow row)
{
    private const int BufferBytes = 4 * 1024;

    private readonly Decoder _decoder = Encoding.UTF8.GetDecoder();
    private readonly byte[] _bytes = new byte[BufferBytes];
    private readonly char[] _chars = new char[Encoding.UTF8.GetMaxCharCount(BufferBytes)];
    private int _start;
    private int _end;
    private bool _isOver;

    /// <summary>The number of characters that were read or skipped.</summary>
    internal long Position { get; private set; }

    /// <summary>Skips characters up to a position, or the end.</summary>
    /// <returns>The new position.</returns>
    internal long Skip(long position)
    {
        while (Position < position && Fill())
        {
            Take((int)Math.Min(position - Position, _end - _start));
        }

        return Position;
    }

    /// <returns>The number of characters that were read; less than the room only at the end.</returns>
    internal int Read(Span<char> target)
    {
        int count = 0;
        while (count < target.Length && Fill())
        {
            Span<char> chars = _chars.AsSpan(_start, Math.Min(target.Length - count, _end - _start));
            chars.CopyTo(target[count..]);
            count += chars.Length;
            Take(chars.Length);
        }

        return count;
    }

    private void Take(int count)
    {
        _start += count;
        Position += count;
    }

    private bool Fill()
    {
        while (_start == _end && !_isOver)
        {
            int count = row.ReadValue(_bytes);
            _isOver = count == 0;
            _start = 0;
            _end = _decoder.GetChars(_bytes.AsSpan(0, count), _chars, flush: _isOver);
        }

        return _start < _end;
    }
}

using System.Diagnostics;

namespace Ioxide.Pg.Data;

/// <summary>Splits a row that arrives in pieces into its values. One per round trip, reused for every row.</summary>
/// <remarks>
/// A row is the count of its values (2 bytes), then for each its length (4 bytes; -1 for NULL) and its bytes. A length is checked against
/// the rest of the row before any byte of its value is passed on. Source: PostgreSQL manual, 55.7, DataRow.
/// </remarks>
internal sealed class RowCutter
{
    private int _columnCount;
    private int _columnsLeft;
    private bool _isCounted;

    // Bytes of the row, and of the value, that have not arrived.
    private int _rowLeft;
    private int _valueLeft;

    // A number that may arrive in parts.
    private uint _number;
    private int _numberBytes;

    /// <param name="lengthBytes">The length of the row's body.</param>
    /// <param name="columnCount">The number of described columns.</param>
    /// <param name="target">The destination; null: the row is checked and dropped.</param>
    internal void Begin(int lengthBytes, int columnCount, RowChunk? target)
    {
        _rowLeft = lengthBytes;
        _columnCount = _columnsLeft = columnCount;
        _isCounted = false;
        _valueLeft = 0;
        _number = 0;
        _numberBytes = 0;
        target?.Append(RowChunk.LongRow, 0);
    }

    /// <summary>Takes the next piece.</summary>
    /// <exception cref="PgProtocolException">The lengths do not fit the row, or the count does not fit the description.</exception>
    internal void Take(ReadOnlySpan<byte> piece, RowChunk? target)
    {
        if (piece.IsEmpty)
        {
            // An empty piece between two buffers must not end the row again.
            return;
        }

        Debug.Assert(piece.Length <= _rowLeft);
        _rowLeft -= piece.Length;
        while (!piece.IsEmpty)
        {
            if (_valueLeft > 0)
            {
                int count = Math.Min(_valueLeft, piece.Length);
                target?.Append(RowChunk.Piece, piece[..count]);
                _valueLeft -= count;
                piece = piece[count..];
                continue;
            }

            _number = (_number << 8) | piece[0];
            _numberBytes++;
            piece = piece[1..];
            if (_numberBytes == (_isCounted ? sizeof(int) : sizeof(short)))
            {
                TakeNumber((int)_number, _rowLeft + piece.Length, target);
                _number = 0;
                _numberBytes = 0;
            }
        }

        if (_rowLeft == 0)
        {
            if (!_isCounted)
            {
                throw RowLayout.Torn();
            }

            target?.Append(RowChunk.LongRowEnd, 0);
        }
    }

    private void TakeNumber(int number, int leftBytes, RowChunk? target)
    {
        bool isLength = _isCounted;
        if (isLength)
        {
            _columnsLeft--;
            _valueLeft = Math.Max(number, 0);
        }
        else
        {
            _isCounted = number == _columnCount ? true : throw RowLayout.OtherCount(_columnCount);
        }

        // The rest must hold this value and the lengths of later ones, and nothing more if it is the last.
        long behind = (long)leftBytes - _valueLeft;
        if ((isLength && number < -1) || behind < (long)_columnsLeft * sizeof(int) || (_columnsLeft == 0 && behind != 0))
        {
            throw RowLayout.Torn();
        }

        if (isLength)
        {
            target?.Append(RowChunk.Value, number);
        }
    }
}

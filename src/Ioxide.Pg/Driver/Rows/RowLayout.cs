using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>Where the values of the row being read begin. One per connection, reused for every row.</summary>
internal sealed class RowLayout
{
    private int[] _offsets = new int[16];

    /// <summary>Offsets of the values' lengths, one per column.</summary>
    internal ReadOnlySpan<int> Offsets => _offsets;

    /// <summary>Checks a whole DataRow: afterwards no getter can read outside the message.</summary>
    /// <exception cref="PgProtocolException">The lengths do not fit the message, or the count does not fit the description.</exception>
    internal void Read(ReadOnlySpan<byte> body, int columnCount)
    {
        if (body.Length < sizeof(short) || BinaryPrimitives.ReadInt16BigEndian(body) != columnCount)
        {
            throw OtherCount(columnCount);
        }

        if (_offsets.Length < columnCount)
        {
            _offsets = new int[ResultColumns.MaxColumns];
        }

        int position = sizeof(short);
        int[] offsets = _offsets;
        for (int i = 0; i < columnCount; i++)
        {
            if (body.Length - position < sizeof(int))
            {
                throw Torn();
            }

            int length = BinaryPrimitives.ReadInt32BigEndian(body[position..]);
            offsets[i] = position;
            position += sizeof(int);
            if (length > 0)
            {
                if (length > body.Length - position)
                {
                    throw Torn();
                }

                position += length;
            }
            else if (length < -1)
            {
                throw Torn();
            }
        }

        if (position != body.Length)
        {
            throw Torn();
        }
    }

    internal static PgProtocolException OtherCount(int columnCount)
        => new($"The server sent a row that has not the {columnCount} columns that it described.");

    internal static PgProtocolException Torn() => new("The server sent a row whose lengths do not fit its message.");
}

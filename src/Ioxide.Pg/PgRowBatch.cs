using System.Buffers;

namespace Ioxide.Pg;

/// <summary>A batch of rows in the receive buffer.</summary>
public readonly ref struct PgRowBatch
{
    private readonly ReadOnlySequence<byte> _received;
    private readonly LentRows? _owner;
    private readonly PgRows? _rows;

    internal PgRowBatch(scoped in ReadOnlySequence<byte> received, LentRows owner, PgRows rows)
    {
        _received = received;
        _owner = owner;
        _rows = rows;
    }

    /// <summary>Enumerates the rows.</summary>
    public Enumerator GetEnumerator() => new(_received, _owner, _rows);

    /// <summary>Enumerates the rows of a batch.</summary>
    public ref struct Enumerator
    {
        private readonly LentRows? _owner;
        private readonly PgRows? _rows;
        private MessageReader _reader;
        private ReadOnlySpan<byte> _body;

        internal Enumerator(scoped in ReadOnlySequence<byte> received, LentRows? owner, PgRows? rows)
        {
            _owner = owner;
            _rows = rows;
            if (owner is not null)
            {
                _reader = new MessageReader(received, owner.Scratch);
            }
        }

        /// <summary>The current row.</summary>
        public readonly PgRow Current => new(_body, _owner!.Layout.Offsets, _owner.Columns);

        /// <summary>Moves to the next row of the batch.</summary>
        public bool MoveNext()
        {
            if (_owner is null || !_reader.TryRead(out byte type, out _body) || type != BackendMessage.DataRow)
            {
                return false;
            }

            _owner.Layout.Read(_body, _owner.Columns.Count);

            // The buffer stays valid while the object that represents it is reachable.
            GC.KeepAlive(_rows);
            return true;
        }
    }
}

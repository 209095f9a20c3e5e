using System.Diagnostics;

namespace Ioxide.Http2;

/// <summary>The dynamic table of one direction of a connection: the last added fields, newest first (RFC 7541, section 2.3.2).</summary>
/// <remarks>Threads: the connection's, one at a time. Bounded by its size: it never holds more fields than fit.</remarks>
internal sealed class HpackDynamicTable(int maxSizeBytes)
{
    private const int FirstCapacity = 16;

    private HpackField?[] _fields = new HpackField?[FirstCapacity];
    private int _oldest;

    /// <summary>Fields in the table.</summary>
    internal int Count { get; private set; }

    /// <summary>Size of its fields, as HPACK counts it.</summary>
    internal int SizeBytes { get; private set; }

    /// <summary>Limit of that size.</summary>
    internal int MaxSizeBytes { get; private set; } = maxSizeBytes;

    /// <summary>Fields added so far.</summary>
    internal long Insertions { get; private set; }

    /// <summary>The field at an index, from 0 for the newest.</summary>
    internal HpackField this[int index]
    {
        get
        {
            Debug.Assert((uint)index < (uint)Count);
            return _fields[(_oldest + Count - 1 - index) % _fields.Length]!;
        }
    }

    /// <summary>Evicts the fields that do not fit.</summary>
    internal void Resize(int maxSizeBytes)
    {
        MaxSizeBytes = maxSizeBytes;
        EvictTo(maxSizeBytes);
    }

    /// <summary>Adds a field and evicts the oldest; a field larger than the table empties it (section 4.4).</summary>
    /// <returns>Whether the field is in the table.</returns>
    internal bool TryAdd(HpackField field)
    {
        int size = field.SizeBytes;
        if (size > MaxSizeBytes)
        {
            EvictTo(0);
            return false;
        }

        EvictTo(MaxSizeBytes - size);
        if (Count == _fields.Length)
        {
            Grow();
        }

        _fields[(_oldest + Count) % _fields.Length] = field;
        Count++;
        SizeBytes += size;
        Insertions++;
        return true;
    }

    private void EvictTo(int sizeBytes)
    {
        while (SizeBytes > sizeBytes)
        {
            SizeBytes -= _fields[_oldest]!.SizeBytes;
            _fields[_oldest] = null;
            _oldest = (_oldest + 1) % _fields.Length;
            Count--;
        }
    }

    private void Grow()
    {
        var larger = new HpackField?[_fields.Length * 2];
        for (int index = 0; index < Count; index++)
        {
            larger[index] = _fields[(_oldest + index) % _fields.Length];
        }

        _fields = larger;
        _oldest = 0;
    }
}

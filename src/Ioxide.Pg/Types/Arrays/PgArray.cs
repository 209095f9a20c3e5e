using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>Creates arrays of several dimensions.</summary>
public static class PgArray
{
    /// <summary>Creates a two-dimensional array with lower bounds 1.</summary>
    /// <typeparam name="T">The type of an element.</typeparam>
    /// <param name="items">The elements; they are copied.</param>
    public static PgArray<T> From<T>(T[,] items)
    {
        ArgumentNullException.ThrowIfNull(items);
        T[] copy = items.Length == 0 ? [] : MemoryMarshal.CreateSpan(ref items[0, 0], items.Length).ToArray();
        return new PgArray<T>(copy, [items.GetLength(0), items.GetLength(1)]);
    }
}

namespace Ioxide.Files;

/// <summary>What a folder has, by name: a table of short lists. A changed table shares the other lists with the one before. Immutable.</summary>
/// <remarks>Names are of the file system: a client can look up what is not there, and add nothing.</remarks>
internal sealed class NameTable
{
    // A list is doubled at the most and copied for each change, so both ends are short.
    private const int MaxPerList = 16;
    private const int UsualPerList = 8;

    private readonly Slot[][] _lists;

    private NameTable(Slot[][] lists, int count)
    {
        _lists = lists;
        Count = count;
    }

    internal static NameTable Empty { get; } = new([[]], 0);

    internal int Count { get; }

    internal IEnumerable<FolderItem> Items => _lists.SelectMany(static list => list).Select(static slot => slot.Item);

    internal FolderItem? Find(ReadOnlySpan<char> name)
    {
        int hash = string.GetHashCode(name);
        foreach (ref readonly Slot slot in _lists[hash & (_lists.Length - 1)].AsSpan())
        {
            if (slot.Hash == hash && name.SequenceEqual(slot.Item.Name))
            {
                return slot.Item;
            }
        }

        return null;
    }

    /// <summary>The table with other items for some names; null for none.</summary>
    internal NameTable With(Dictionary<string, FolderItem?> changes)
    {
        Slot[][] lists = Sized(Count + changes.Count);
        int count = Count;
        foreach ((string name, FolderItem? item) in changes)
        {
            int hash = string.GetHashCode(name.AsSpan());
            ref Slot[] list = ref lists[hash & (lists.Length - 1)];
            int before = list.Length;
            Slot[] others = Array.FindAll(list, slot => slot.Hash != hash || slot.Item.Name != name);
            list = item is null ? others : [.. others, new Slot(hash, item)];
            count += list.Length - before;
        }

        return new NameTable(lists, count);
    }

    /// <summary>The lists in an array of their own; as many as suit that many items, where the present ones do not.</summary>
    private Slot[][] Sized(int count)
    {
        if (count <= _lists.Length * MaxPerList && (_lists.Length == 1 || count > _lists.Length))
        {
            return (Slot[][])_lists.Clone();
        }

        int length = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)Math.Max(1, count / UsualPerList));
        ILookup<int, Slot> slots = _lists.SelectMany(static list => list).ToLookup(slot => slot.Hash & (length - 1));
        return [.. Enumerable.Range(0, length).Select(index => slots[index].ToArray())];
    }

    private readonly record struct Slot(int Hash, FolderItem Item);
}

using System.Globalization;

namespace Ioxide.Pg;

/// <summary>The built-in types of every server. The catalogue is not queried; any other type is requested as text.</summary>
internal static partial class PgTypeTable
{
    /// <summary>OIDs of built-in types are below; those of user-defined types begin at 16384.</summary>
    private const int IndexLength = 8192;

    private static readonly PgTypeEntry s_unknown = new(0, "unknown to the driver", PgTypeKind.None, 0, 0);
    private static readonly PgTypeEntry?[] s_index = MakeIndex();

    /// <summary>The entry of a type, never null.</summary>
    internal static PgTypeEntry Find(uint typeId) => (typeId < IndexLength ? s_index[typeId] : null) ?? s_unknown;

    /// <summary>Whether the type is built in.</summary>
    internal static bool Knows(uint typeId) => Find(typeId).TypeId != 0;

    /// <summary>Whether a column of this type is requested in binary form.</summary>
    internal static bool ReadsBinary(uint typeId) => Find(typeId).Kind != PgTypeKind.None;

    internal static PgTypeKind KindOf(uint typeId) => Find(typeId).Kind;

    /// <summary>The OID of an array's, range's or multirange's element; 0 if it is not known.</summary>
    internal static uint ElementOf(uint typeId) => Find(typeId).ElementId;

    /// <summary>The OID of the array of a type; 0 if it is not known.</summary>
    internal static uint ArrayOf(uint typeId) => Find(typeId).ArrayId;

    /// <summary>A name for error messages.</summary>
    internal static string NameOf(uint typeId)
    {
        PgTypeEntry entry = Find(typeId);
        return entry.TypeId == 0 ? string.Create(CultureInfo.InvariantCulture, $"OID {typeId}") : entry.Name;
    }

    /// <summary>The OID of the range over a type, or of the multirange over a range; 0 if there is none.</summary>
    internal static uint RangeOf(uint typeId) => Find(typeId).RangeId;

    /// <summary>The OID of a scalar by its name in SQL or in the catalogue; 0: it is not built in.</summary>
    internal static uint TypeIdOf(string name)
        => Array.Find(s_index, entry => entry is not null && (entry.SqlName ?? entry.Name) == name)?.TypeId
            ?? Array.Find(s_index, entry => entry?.Name == name)?.TypeId ?? 0;

    /// <summary>The OIDs of a kind.</summary>
    internal static uint[] OfKind(PgTypeKind kind) => [.. s_index.Where(entry => entry?.Kind == kind).Select(static entry => entry!.TypeId)];

    private static PgTypeEntry?[] MakeIndex()
    {
        var index = new PgTypeEntry?[IndexLength];
        foreach (PgTypeEntry entry in MakeScalars())
        {
            index[entry.TypeId] = entry;
            if (entry.Kind is PgTypeKind.Range or PgTypeKind.MultiRange)
            {
                // Its element type precedes it.
                index[entry.ElementId]!.RangeId = entry.TypeId;
            }

            if (entry.ArrayId != 0)
            {
                PgTypeKind kind = entry.Kind == PgTypeKind.None ? PgTypeKind.None : PgTypeKind.Array;
                index[entry.ArrayId] = new PgTypeEntry(entry.ArrayId, entry.Name + "[]", kind, entry.TypeId, 0);
            }
        }

        return index;
    }
}

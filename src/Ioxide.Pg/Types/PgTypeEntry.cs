namespace Ioxide.Pg;

/// <summary>The driver's data about one PostgreSQL type.</summary>
/// <param name="TypeId">Its OID; 0 for an unknown type.</param>
/// <param name="Name">Its name in the catalogue.</param>
/// <param name="Kind">The layout of its binary form.</param>
/// <param name="ElementId">The OID of the elements of an array, a range or a multirange; otherwise 0.</param>
/// <param name="ArrayId">The OID of its array type; 0 if there is none.</param>
/// <param name="SqlName">Its name in SQL; null if it is the catalogue's name.</param>
internal sealed record PgTypeEntry(uint TypeId, string Name, PgTypeKind Kind, uint ElementId, uint ArrayId, string? SqlName = null)
{
    /// <summary>The OID of the range over it, or of the multirange over a range; 0 if there is none.</summary>
    internal uint RangeId { get; set; }

    /// <summary>The delimiter between elements in an array's text.</summary>
    internal byte Delimiter => TypeId == PgTypeId.Box || ElementId == PgTypeId.Box ? (byte)';' : (byte)',';
}

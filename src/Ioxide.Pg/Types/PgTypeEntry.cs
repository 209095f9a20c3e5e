namespace Ioxide.Pg;

/// <summary>What the driver knows of one type of the server.</summary>
/// <param name="TypeId">Its OID; 0 for a type that is not known.</param>
/// <param name="Name">Its name in the catalogue.</param>
/// <param name="Kind">How its binary form is laid out.</param>
/// <param name="ElementId">The OID of what an array, a range or a multirange consists of; otherwise 0.</param>
/// <param name="ArrayId">The OID of the array of it; 0 where there is none.</param>
/// <param name="SqlName">Its name in SQL; null where that is the catalogue's.</param>
internal sealed record PgTypeEntry(uint TypeId, string Name, PgTypeKind Kind, uint ElementId, uint ArrayId, string? SqlName = null)
{
    /// <summary>The OID of the range over it, or of the multirange over a range; 0 where there is none.</summary>
    internal uint RangeId { get; set; }

    /// <summary>What stands between the elements of an array's text.</summary>
    internal byte Delimiter => TypeId == PgTypeId.Box || ElementId == PgTypeId.Box ? (byte)';' : (byte)',';
}

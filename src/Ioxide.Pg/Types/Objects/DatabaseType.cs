namespace Ioxide.Pg.Data;

/// <summary>A type that a database defines, as its catalogue describes it.</summary>
/// <param name="TypeId">Its OID.</param>
/// <param name="Schema">The schema that it is in.</param>
/// <param name="Name">Its name in that schema.</param>
/// <param name="Kind"><c>pg_type.typtype</c>, and <see cref="Array"/> for an array.</param>
/// <param name="BaseId">The OID of an array's elements or of a domain's base; otherwise 0.</param>
/// <param name="Fields">The names of a composite's fields, in their order; otherwise none.</param>
/// <param name="FieldIds">The OIDs of their types.</param>
internal sealed record DatabaseType(uint TypeId, string Schema, string Name, char Kind, uint BaseId, string[] Fields, long[] FieldIds)
{
    internal const char Array = 'a';
    internal const char Composite = 'c';
    internal const char Domain = 'd';
    internal const char Enum = 'e';

    internal string FullName => $"{Schema}.{Name}";
}

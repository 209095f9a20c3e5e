using System.Globalization;

namespace Ioxide.Pg;

/// <summary>The built-in types of every server. The catalogue is not queried; any other type is requested as text.</summary>
internal static class PgTypeTable
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

    private static PgTypeEntry[] MakeScalars() =>
    [
        new(PgTypeId.Bool, "bool", PgTypeKind.Bool, 0, PgTypeId.BoolArray, "boolean"),
        new(PgTypeId.Bytea, "bytea", PgTypeKind.Bytea, 0, PgTypeId.ByteaArray),
        new(PgTypeId.InternalChar, "\"char\"", PgTypeKind.Text, 0, PgTypeId.InternalCharArray, "char"),
        new(PgTypeId.Name, "name", PgTypeKind.Text, 0, PgTypeId.NameArray),
        new(PgTypeId.Int8, "int8", PgTypeKind.Int8, 0, PgTypeId.Int8Array, "bigint"),
        new(PgTypeId.Int2, "int2", PgTypeKind.Int2, 0, PgTypeId.Int2Array, "smallint"),
        new(PgTypeId.Int4, "int4", PgTypeKind.Int4, 0, PgTypeId.Int4Array, "integer"),
        new(PgTypeId.RegProc, "regproc", PgTypeKind.Oid, 0, PgTypeId.RegProcArray),
        new(PgTypeId.Text, "text", PgTypeKind.Text, 0, PgTypeId.TextArray),
        new(PgTypeId.Oid, "oid", PgTypeKind.Oid, 0, PgTypeId.OidArray),
        new(PgTypeId.Tid, "tid", PgTypeKind.None, 0, PgTypeId.TidArray),
        new(PgTypeId.Xid, "xid", PgTypeKind.Oid, 0, PgTypeId.XidArray),
        new(PgTypeId.Cid, "cid", PgTypeKind.Oid, 0, PgTypeId.CidArray),
        new(PgTypeId.Json, "json", PgTypeKind.Json, 0, PgTypeId.JsonArray),
        new(PgTypeId.Xml, "xml", PgTypeKind.Text, 0, PgTypeId.XmlArray),
        new(PgTypeId.Xid8, "xid8", PgTypeKind.UInt8, 0, PgTypeId.Xid8Array),
        new(PgTypeId.Point, "point", PgTypeKind.Point, 0, PgTypeId.PointArray),
        new(PgTypeId.LineSegment, "lseg", PgTypeKind.LineSegment, 0, PgTypeId.LineSegmentArray),
        new(PgTypeId.Path, "path", PgTypeKind.Path, 0, PgTypeId.PathArray),
        new(PgTypeId.Box, "box", PgTypeKind.Box, 0, PgTypeId.BoxArray),
        new(PgTypeId.Polygon, "polygon", PgTypeKind.Polygon, 0, PgTypeId.PolygonArray),
        new(PgTypeId.Line, "line", PgTypeKind.Line, 0, PgTypeId.LineArray),
        new(PgTypeId.Float4, "float4", PgTypeKind.Float4, 0, PgTypeId.Float4Array, "real"),
        new(PgTypeId.Float8, "float8", PgTypeKind.Float8, 0, PgTypeId.Float8Array, "double precision"),
        new(PgTypeId.Unknown, "unknown", PgTypeKind.Text, 0, 0),
        new(PgTypeId.Circle, "circle", PgTypeKind.Circle, 0, PgTypeId.CircleArray),
        new(PgTypeId.Money, "money", PgTypeKind.Money, 0, PgTypeId.MoneyArray),
        new(PgTypeId.MacAddr, "macaddr", PgTypeKind.MacAddr, 0, PgTypeId.MacAddrArray),
        new(PgTypeId.Inet, "inet", PgTypeKind.Inet, 0, PgTypeId.InetArray),
        new(PgTypeId.Cidr, "cidr", PgTypeKind.Inet, 0, PgTypeId.CidrArray),
        new(PgTypeId.MacAddr8, "macaddr8", PgTypeKind.MacAddr, 0, PgTypeId.MacAddr8Array),
        new(PgTypeId.AclItem, "aclitem", PgTypeKind.None, 0, PgTypeId.AclItemArray),
        new(PgTypeId.BpChar, "bpchar", PgTypeKind.Text, 0, PgTypeId.BpCharArray, "character"),
        new(PgTypeId.VarChar, "varchar", PgTypeKind.Text, 0, PgTypeId.VarCharArray, "character varying"),
        new(PgTypeId.Date, "date", PgTypeKind.Date, 0, PgTypeId.DateArray),
        new(PgTypeId.Time, "time", PgTypeKind.Time, 0, PgTypeId.TimeArray, "time without time zone"),
        new(PgTypeId.Timestamp, "timestamp", PgTypeKind.Timestamp, 0, PgTypeId.TimestampArray, "timestamp without time zone"),
        new(PgTypeId.TimestampTz, "timestamptz", PgTypeKind.TimestampTz, 0, PgTypeId.TimestampTzArray, "timestamp with time zone"),
        new(PgTypeId.Interval, "interval", PgTypeKind.Interval, 0, PgTypeId.IntervalArray),
        new(PgTypeId.TimeTz, "timetz", PgTypeKind.TimeTz, 0, PgTypeId.TimeTzArray, "time with time zone"),
        new(PgTypeId.Bit, "bit", PgTypeKind.Bits, 0, PgTypeId.BitArray),
        new(PgTypeId.VarBit, "varbit", PgTypeKind.Bits, 0, PgTypeId.VarBitArray, "bit varying"),
        new(PgTypeId.Numeric, "numeric", PgTypeKind.Numeric, 0, PgTypeId.NumericArray),
        new(PgTypeId.RefCursor, "refcursor", PgTypeKind.Text, 0, PgTypeId.RefCursorArray),
        new(PgTypeId.RegProcedure, "regprocedure", PgTypeKind.Oid, 0, PgTypeId.RegProcedureArray),
        new(PgTypeId.RegOper, "regoper", PgTypeKind.Oid, 0, PgTypeId.RegOperArray),
        new(PgTypeId.RegOperator, "regoperator", PgTypeKind.Oid, 0, PgTypeId.RegOperatorArray),
        new(PgTypeId.RegClass, "regclass", PgTypeKind.Oid, 0, PgTypeId.RegClassArray),
        new(PgTypeId.RegCollation, "regcollation", PgTypeKind.Oid, 0, PgTypeId.RegCollationArray),
        new(PgTypeId.RegType, "regtype", PgTypeKind.Oid, 0, PgTypeId.RegTypeArray),
        new(PgTypeId.RegRole, "regrole", PgTypeKind.Oid, 0, PgTypeId.RegRoleArray),
        new(PgTypeId.RegNamespace, "regnamespace", PgTypeKind.Oid, 0, PgTypeId.RegNamespaceArray),
        new(PgTypeId.Uuid, "uuid", PgTypeKind.Uuid, 0, PgTypeId.UuidArray),
        new(PgTypeId.PgLsn, "pg_lsn", PgTypeKind.None, 0, PgTypeId.PgLsnArray),
        new(PgTypeId.TsVector, "tsvector", PgTypeKind.None, 0, PgTypeId.TsVectorArray),
        new(PgTypeId.TsQuery, "tsquery", PgTypeKind.None, 0, PgTypeId.TsQueryArray),
        new(PgTypeId.RegConfig, "regconfig", PgTypeKind.Oid, 0, PgTypeId.RegConfigArray),
        new(PgTypeId.RegDictionary, "regdictionary", PgTypeKind.Oid, 0, PgTypeId.RegDictionaryArray),
        new(PgTypeId.Jsonb, "jsonb", PgTypeKind.Jsonb, 0, PgTypeId.JsonbArray),
        new(PgTypeId.JsonPath, "jsonpath", PgTypeKind.None, 0, PgTypeId.JsonPathArray),
        new(PgTypeId.TxidSnapshot, "txid_snapshot", PgTypeKind.None, 0, PgTypeId.TxidSnapshotArray),
        new(PgTypeId.PgSnapshot, "pg_snapshot", PgTypeKind.None, 0, PgTypeId.PgSnapshotArray),
        new(PgTypeId.Int4Range, "int4range", PgTypeKind.Range, PgTypeId.Int4, PgTypeId.Int4RangeArray),
        new(PgTypeId.NumRange, "numrange", PgTypeKind.Range, PgTypeId.Numeric, PgTypeId.NumRangeArray),
        new(PgTypeId.TsRange, "tsrange", PgTypeKind.Range, PgTypeId.Timestamp, PgTypeId.TsRangeArray),
        new(PgTypeId.TsTzRange, "tstzrange", PgTypeKind.Range, PgTypeId.TimestampTz, PgTypeId.TsTzRangeArray),
        new(PgTypeId.DateRange, "daterange", PgTypeKind.Range, PgTypeId.Date, PgTypeId.DateRangeArray),
        new(PgTypeId.Int8Range, "int8range", PgTypeKind.Range, PgTypeId.Int8, PgTypeId.Int8RangeArray),
        new(PgTypeId.Int4MultiRange, "int4multirange", PgTypeKind.MultiRange, PgTypeId.Int4Range, PgTypeId.Int4MultiRangeArray),
        new(PgTypeId.NumMultiRange, "nummultirange", PgTypeKind.MultiRange, PgTypeId.NumRange, PgTypeId.NumMultiRangeArray),
        new(PgTypeId.TsMultiRange, "tsmultirange", PgTypeKind.MultiRange, PgTypeId.TsRange, PgTypeId.TsMultiRangeArray),
        new(PgTypeId.TsTzMultiRange, "tstzmultirange", PgTypeKind.MultiRange, PgTypeId.TsTzRange, PgTypeId.TsTzMultiRangeArray),
        new(PgTypeId.DateMultiRange, "datemultirange", PgTypeKind.MultiRange, PgTypeId.DateRange, PgTypeId.DateMultiRangeArray),
        new(PgTypeId.Int8MultiRange, "int8multirange", PgTypeKind.MultiRange, PgTypeId.Int8Range, PgTypeId.Int8MultiRangeArray),
        new(PgTypeId.Record, "record", PgTypeKind.None, 0, PgTypeId.RecordArray),
        new(PgTypeId.CString, "cstring", PgTypeKind.Text, 0, PgTypeId.CStringArray),
        new(PgTypeId.Void, "void", PgTypeKind.Text, 0, 0),
        new(PgTypeId.Int2Vector, "int2vector", PgTypeKind.None, 0, PgTypeId.Int2VectorArray),
        new(PgTypeId.OidVector, "oidvector", PgTypeKind.None, 0, PgTypeId.OidVectorArray),
    ];
}

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

/// <summary>Families of types that share a binary layout.</summary>
internal enum PgTypeKind : byte
{
    /// <summary>The binary form is not understood: such a column is requested as text.</summary>
    None,
    Bool,
    Int2,
    Int4,
    Int8,
    UInt8,
    Oid,
    Float4,
    Float8,
    Numeric,
    Money,
    Text,
    Bytea,
    Uuid,
    Json,
    Jsonb,
    Date,
    Time,
    TimeTz,
    Timestamp,
    TimestampTz,
    Interval,
    Inet,
    MacAddr,
    Bits,
    Point,
    LineSegment,
    Line,
    Box,
    Path,
    Polygon,
    Circle,
    Range,
    MultiRange,
    Array,
}

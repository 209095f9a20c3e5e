namespace Ioxide.Pg;

/// <summary>The built-in types of every server, by name. The values are their OIDs, as in <see cref="PgTypeId"/>.</summary>
/// <remarks>Types of extensions and applications have different OIDs on each server; send their parameters as text or undeclared.</remarks>
#pragma warning disable CA1720 // They are the names of the server's types.
public enum PgDbType : uint
{
    /// <summary>No type: the value decides.</summary>
    None = 0,
    /// <summary><c>bool</c>.</summary>
    Bool = PgTypeId.Bool,
    /// <summary><c>bool[]</c>.</summary>
    BoolArray = PgTypeId.BoolArray,
    /// <summary><c>bytea</c>.</summary>
    Bytea = PgTypeId.Bytea,
    /// <summary><c>bytea[]</c>.</summary>
    ByteaArray = PgTypeId.ByteaArray,
    /// <summary><c>&quot;char&quot;</c>.</summary>
    InternalChar = PgTypeId.InternalChar,
    /// <summary><c>&quot;char&quot;[]</c>.</summary>
    InternalCharArray = PgTypeId.InternalCharArray,
    /// <summary><c>name</c>.</summary>
    Name = PgTypeId.Name,
    /// <summary><c>name[]</c>.</summary>
    NameArray = PgTypeId.NameArray,
    /// <summary><c>int8</c>.</summary>
    Int8 = PgTypeId.Int8,
    /// <summary><c>int8[]</c>.</summary>
    Int8Array = PgTypeId.Int8Array,
    /// <summary><c>int2</c>.</summary>
    Int2 = PgTypeId.Int2,
    /// <summary><c>int2[]</c>.</summary>
    Int2Array = PgTypeId.Int2Array,
    /// <summary><c>int4</c>.</summary>
    Int4 = PgTypeId.Int4,
    /// <summary><c>int4[]</c>.</summary>
    Int4Array = PgTypeId.Int4Array,
    /// <summary><c>regproc</c>.</summary>
    RegProc = PgTypeId.RegProc,
    /// <summary><c>regproc[]</c>.</summary>
    RegProcArray = PgTypeId.RegProcArray,
    /// <summary><c>text</c>.</summary>
    Text = PgTypeId.Text,
    /// <summary><c>text[]</c>.</summary>
    TextArray = PgTypeId.TextArray,
    /// <summary><c>oid</c>.</summary>
    Oid = PgTypeId.Oid,
    /// <summary><c>oid[]</c>.</summary>
    OidArray = PgTypeId.OidArray,
    /// <summary><c>tid</c>.</summary>
    Tid = PgTypeId.Tid,
    /// <summary><c>tid[]</c>.</summary>
    TidArray = PgTypeId.TidArray,
    /// <summary><c>xid</c>.</summary>
    Xid = PgTypeId.Xid,
    /// <summary><c>xid[]</c>.</summary>
    XidArray = PgTypeId.XidArray,
    /// <summary><c>cid</c>.</summary>
    Cid = PgTypeId.Cid,
    /// <summary><c>cid[]</c>.</summary>
    CidArray = PgTypeId.CidArray,
    /// <summary><c>json</c>.</summary>
    Json = PgTypeId.Json,
    /// <summary><c>json[]</c>.</summary>
    JsonArray = PgTypeId.JsonArray,
    /// <summary><c>xml</c>.</summary>
    Xml = PgTypeId.Xml,
    /// <summary><c>xml[]</c>.</summary>
    XmlArray = PgTypeId.XmlArray,
    /// <summary><c>xid8</c>.</summary>
    Xid8 = PgTypeId.Xid8,
    /// <summary><c>xid8[]</c>.</summary>
    Xid8Array = PgTypeId.Xid8Array,
    /// <summary><c>point</c>.</summary>
    Point = PgTypeId.Point,
    /// <summary><c>point[]</c>.</summary>
    PointArray = PgTypeId.PointArray,
    /// <summary><c>lseg</c>.</summary>
    LineSegment = PgTypeId.LineSegment,
    /// <summary><c>lseg[]</c>.</summary>
    LineSegmentArray = PgTypeId.LineSegmentArray,
    /// <summary><c>path</c>.</summary>
    Path = PgTypeId.Path,
    /// <summary><c>path[]</c>.</summary>
    PathArray = PgTypeId.PathArray,
    /// <summary><c>box</c>.</summary>
    Box = PgTypeId.Box,
    /// <summary><c>box[]</c>.</summary>
    BoxArray = PgTypeId.BoxArray,
    /// <summary><c>polygon</c>.</summary>
    Polygon = PgTypeId.Polygon,
    /// <summary><c>polygon[]</c>.</summary>
    PolygonArray = PgTypeId.PolygonArray,
    /// <summary><c>line</c>.</summary>
    Line = PgTypeId.Line,
    /// <summary><c>line[]</c>.</summary>
    LineArray = PgTypeId.LineArray,
    /// <summary><c>float4</c>.</summary>
    Float4 = PgTypeId.Float4,
    /// <summary><c>float4[]</c>.</summary>
    Float4Array = PgTypeId.Float4Array,
    /// <summary><c>float8</c>.</summary>
    Float8 = PgTypeId.Float8,
    /// <summary><c>float8[]</c>.</summary>
    Float8Array = PgTypeId.Float8Array,
    /// <summary><c>unknown</c>.</summary>
    Unknown = PgTypeId.Unknown,
    /// <summary><c>circle</c>.</summary>
    Circle = PgTypeId.Circle,
    /// <summary><c>circle[]</c>.</summary>
    CircleArray = PgTypeId.CircleArray,
    /// <summary><c>money</c>.</summary>
    Money = PgTypeId.Money,
    /// <summary><c>money[]</c>.</summary>
    MoneyArray = PgTypeId.MoneyArray,
    /// <summary><c>macaddr</c>.</summary>
    MacAddr = PgTypeId.MacAddr,
    /// <summary><c>macaddr[]</c>.</summary>
    MacAddrArray = PgTypeId.MacAddrArray,
    /// <summary><c>inet</c>.</summary>
    Inet = PgTypeId.Inet,
    /// <summary><c>inet[]</c>.</summary>
    InetArray = PgTypeId.InetArray,
    /// <summary><c>cidr</c>.</summary>
    Cidr = PgTypeId.Cidr,
    /// <summary><c>cidr[]</c>.</summary>
    CidrArray = PgTypeId.CidrArray,
    /// <summary><c>macaddr8</c>.</summary>
    MacAddr8 = PgTypeId.MacAddr8,
    /// <summary><c>macaddr8[]</c>.</summary>
    MacAddr8Array = PgTypeId.MacAddr8Array,
    /// <summary><c>aclitem</c>.</summary>
    AclItem = PgTypeId.AclItem,
    /// <summary><c>aclitem[]</c>.</summary>
    AclItemArray = PgTypeId.AclItemArray,
    /// <summary><c>bpchar</c>.</summary>
    BpChar = PgTypeId.BpChar,
    /// <summary><c>bpchar[]</c>.</summary>
    BpCharArray = PgTypeId.BpCharArray,
    /// <summary><c>varchar</c>.</summary>
    VarChar = PgTypeId.VarChar,
    /// <summary><c>varchar[]</c>.</summary>
    VarCharArray = PgTypeId.VarCharArray,
    /// <summary><c>date</c>.</summary>
    Date = PgTypeId.Date,
    /// <summary><c>date[]</c>.</summary>
    DateArray = PgTypeId.DateArray,
    /// <summary><c>time</c>.</summary>
    Time = PgTypeId.Time,
    /// <summary><c>time[]</c>.</summary>
    TimeArray = PgTypeId.TimeArray,
    /// <summary><c>timestamp</c>.</summary>
    Timestamp = PgTypeId.Timestamp,
    /// <summary><c>timestamp[]</c>.</summary>
    TimestampArray = PgTypeId.TimestampArray,
    /// <summary><c>timestamptz</c>.</summary>
    TimestampTz = PgTypeId.TimestampTz,
    /// <summary><c>timestamptz[]</c>.</summary>
    TimestampTzArray = PgTypeId.TimestampTzArray,
    /// <summary><c>interval</c>.</summary>
    Interval = PgTypeId.Interval,
    /// <summary><c>interval[]</c>.</summary>
    IntervalArray = PgTypeId.IntervalArray,
    /// <summary><c>timetz</c>.</summary>
    TimeTz = PgTypeId.TimeTz,
    /// <summary><c>timetz[]</c>.</summary>
    TimeTzArray = PgTypeId.TimeTzArray,
    /// <summary><c>bit</c>.</summary>
    Bit = PgTypeId.Bit,
    /// <summary><c>bit[]</c>.</summary>
    BitArray = PgTypeId.BitArray,
    /// <summary><c>varbit</c>.</summary>
    VarBit = PgTypeId.VarBit,
    /// <summary><c>varbit[]</c>.</summary>
    VarBitArray = PgTypeId.VarBitArray,
    /// <summary><c>numeric</c>.</summary>
    Numeric = PgTypeId.Numeric,
    /// <summary><c>numeric[]</c>.</summary>
    NumericArray = PgTypeId.NumericArray,
    /// <summary><c>refcursor</c>.</summary>
    RefCursor = PgTypeId.RefCursor,
    /// <summary><c>refcursor[]</c>.</summary>
    RefCursorArray = PgTypeId.RefCursorArray,
    /// <summary><c>regprocedure</c>.</summary>
    RegProcedure = PgTypeId.RegProcedure,
    /// <summary><c>regprocedure[]</c>.</summary>
    RegProcedureArray = PgTypeId.RegProcedureArray,
    /// <summary><c>regoper</c>.</summary>
    RegOper = PgTypeId.RegOper,
    /// <summary><c>regoper[]</c>.</summary>
    RegOperArray = PgTypeId.RegOperArray,
    /// <summary><c>regoperator</c>.</summary>
    RegOperator = PgTypeId.RegOperator,
    /// <summary><c>regoperator[]</c>.</summary>
    RegOperatorArray = PgTypeId.RegOperatorArray,
    /// <summary><c>regclass</c>.</summary>
    RegClass = PgTypeId.RegClass,
    /// <summary><c>regclass[]</c>.</summary>
    RegClassArray = PgTypeId.RegClassArray,
    /// <summary><c>regcollation</c>.</summary>
    RegCollation = PgTypeId.RegCollation,
    /// <summary><c>regcollation[]</c>.</summary>
    RegCollationArray = PgTypeId.RegCollationArray,
    /// <summary><c>regtype</c>.</summary>
    RegType = PgTypeId.RegType,
    /// <summary><c>regtype[]</c>.</summary>
    RegTypeArray = PgTypeId.RegTypeArray,
    /// <summary><c>regrole</c>.</summary>
    RegRole = PgTypeId.RegRole,
    /// <summary><c>regrole[]</c>.</summary>
    RegRoleArray = PgTypeId.RegRoleArray,
    /// <summary><c>regnamespace</c>.</summary>
    RegNamespace = PgTypeId.RegNamespace,
    /// <summary><c>regnamespace[]</c>.</summary>
    RegNamespaceArray = PgTypeId.RegNamespaceArray,
    /// <summary><c>uuid</c>.</summary>
    Uuid = PgTypeId.Uuid,
    /// <summary><c>uuid[]</c>.</summary>
    UuidArray = PgTypeId.UuidArray,
    /// <summary><c>pg_lsn</c>.</summary>
    PgLsn = PgTypeId.PgLsn,
    /// <summary><c>pg_lsn[]</c>.</summary>
    PgLsnArray = PgTypeId.PgLsnArray,
    /// <summary><c>tsvector</c>.</summary>
    TsVector = PgTypeId.TsVector,
    /// <summary><c>tsvector[]</c>.</summary>
    TsVectorArray = PgTypeId.TsVectorArray,
    /// <summary><c>tsquery</c>.</summary>
    TsQuery = PgTypeId.TsQuery,
    /// <summary><c>tsquery[]</c>.</summary>
    TsQueryArray = PgTypeId.TsQueryArray,
    /// <summary><c>regconfig</c>.</summary>
    RegConfig = PgTypeId.RegConfig,
    /// <summary><c>regconfig[]</c>.</summary>
    RegConfigArray = PgTypeId.RegConfigArray,
    /// <summary><c>regdictionary</c>.</summary>
    RegDictionary = PgTypeId.RegDictionary,
    /// <summary><c>regdictionary[]</c>.</summary>
    RegDictionaryArray = PgTypeId.RegDictionaryArray,
    /// <summary><c>jsonb</c>.</summary>
    Jsonb = PgTypeId.Jsonb,
    /// <summary><c>jsonb[]</c>.</summary>
    JsonbArray = PgTypeId.JsonbArray,
    /// <summary><c>jsonpath</c>.</summary>
    JsonPath = PgTypeId.JsonPath,
    /// <summary><c>jsonpath[]</c>.</summary>
    JsonPathArray = PgTypeId.JsonPathArray,
    /// <summary><c>txid_snapshot</c>.</summary>
    TxidSnapshot = PgTypeId.TxidSnapshot,
    /// <summary><c>txid_snapshot[]</c>.</summary>
    TxidSnapshotArray = PgTypeId.TxidSnapshotArray,
    /// <summary><c>pg_snapshot</c>.</summary>
    PgSnapshot = PgTypeId.PgSnapshot,
    /// <summary><c>pg_snapshot[]</c>.</summary>
    PgSnapshotArray = PgTypeId.PgSnapshotArray,
    /// <summary><c>int4range</c>.</summary>
    Int4Range = PgTypeId.Int4Range,
    /// <summary><c>int4range[]</c>.</summary>
    Int4RangeArray = PgTypeId.Int4RangeArray,
    /// <summary><c>numrange</c>.</summary>
    NumRange = PgTypeId.NumRange,
    /// <summary><c>numrange[]</c>.</summary>
    NumRangeArray = PgTypeId.NumRangeArray,
    /// <summary><c>tsrange</c>.</summary>
    TsRange = PgTypeId.TsRange,
    /// <summary><c>tsrange[]</c>.</summary>
    TsRangeArray = PgTypeId.TsRangeArray,
    /// <summary><c>tstzrange</c>.</summary>
    TsTzRange = PgTypeId.TsTzRange,
    /// <summary><c>tstzrange[]</c>.</summary>
    TsTzRangeArray = PgTypeId.TsTzRangeArray,
    /// <summary><c>daterange</c>.</summary>
    DateRange = PgTypeId.DateRange,
    /// <summary><c>daterange[]</c>.</summary>
    DateRangeArray = PgTypeId.DateRangeArray,
    /// <summary><c>int8range</c>.</summary>
    Int8Range = PgTypeId.Int8Range,
    /// <summary><c>int8range[]</c>.</summary>
    Int8RangeArray = PgTypeId.Int8RangeArray,
    /// <summary><c>int4multirange</c>.</summary>
    Int4MultiRange = PgTypeId.Int4MultiRange,
    /// <summary><c>int4multirange[]</c>.</summary>
    Int4MultiRangeArray = PgTypeId.Int4MultiRangeArray,
    /// <summary><c>nummultirange</c>.</summary>
    NumMultiRange = PgTypeId.NumMultiRange,
    /// <summary><c>nummultirange[]</c>.</summary>
    NumMultiRangeArray = PgTypeId.NumMultiRangeArray,
    /// <summary><c>tsmultirange</c>.</summary>
    TsMultiRange = PgTypeId.TsMultiRange,
    /// <summary><c>tsmultirange[]</c>.</summary>
    TsMultiRangeArray = PgTypeId.TsMultiRangeArray,
    /// <summary><c>tstzmultirange</c>.</summary>
    TsTzMultiRange = PgTypeId.TsTzMultiRange,
    /// <summary><c>tstzmultirange[]</c>.</summary>
    TsTzMultiRangeArray = PgTypeId.TsTzMultiRangeArray,
    /// <summary><c>datemultirange</c>.</summary>
    DateMultiRange = PgTypeId.DateMultiRange,
    /// <summary><c>datemultirange[]</c>.</summary>
    DateMultiRangeArray = PgTypeId.DateMultiRangeArray,
    /// <summary><c>int8multirange</c>.</summary>
    Int8MultiRange = PgTypeId.Int8MultiRange,
    /// <summary><c>int8multirange[]</c>.</summary>
    Int8MultiRangeArray = PgTypeId.Int8MultiRangeArray,
    /// <summary><c>record</c>.</summary>
    Record = PgTypeId.Record,
    /// <summary><c>record[]</c>.</summary>
    RecordArray = PgTypeId.RecordArray,
    /// <summary><c>cstring</c>.</summary>
    CString = PgTypeId.CString,
    /// <summary><c>cstring[]</c>.</summary>
    CStringArray = PgTypeId.CStringArray,
    /// <summary><c>void</c>.</summary>
    Void = PgTypeId.Void,
    /// <summary><c>int2vector</c>.</summary>
    Int2Vector = PgTypeId.Int2Vector,
    /// <summary><c>int2vector[]</c>.</summary>
    Int2VectorArray = PgTypeId.Int2VectorArray,
    /// <summary><c>oidvector</c>.</summary>
    OidVector = PgTypeId.OidVector,
    /// <summary><c>oidvector[]</c>.</summary>
    OidVectorArray = PgTypeId.OidVectorArray,
}

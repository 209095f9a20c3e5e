namespace Ioxide.Pg;

/// <summary>OIDs of the built-in types of every PostgreSQL server.</summary>
/// <remarks>Source: src/include/catalog/pg_type.dat.</remarks>
#pragma warning disable CA1720 // They are the names of the server's types.
public static class PgTypeId
{
    /// <summary><c>bool</c>, and the array of it.</summary>
    public const uint Bool = 16, BoolArray = 1000;
    /// <summary><c>bytea</c>, and the array of it.</summary>
    public const uint Bytea = 17, ByteaArray = 1001;
    /// <summary><c>&quot;char&quot;</c>, and the array of it.</summary>
    public const uint InternalChar = 18, InternalCharArray = 1002;
    /// <summary><c>name</c>, and the array of it.</summary>
    public const uint Name = 19, NameArray = 1003;
    /// <summary><c>int8</c>, and the array of it.</summary>
    public const uint Int8 = 20, Int8Array = 1016;
    /// <summary><c>int2</c>, and the array of it.</summary>
    public const uint Int2 = 21, Int2Array = 1005;
    /// <summary><c>int4</c>, and the array of it.</summary>
    public const uint Int4 = 23, Int4Array = 1007;
    /// <summary><c>regproc</c>, and the array of it.</summary>
    public const uint RegProc = 24, RegProcArray = 1008;
    /// <summary><c>text</c>, and the array of it.</summary>
    public const uint Text = 25, TextArray = 1009;
    /// <summary><c>oid</c>, and the array of it.</summary>
    public const uint Oid = 26, OidArray = 1028;
    /// <summary><c>tid</c>, and the array of it.</summary>
    public const uint Tid = 27, TidArray = 1010;
    /// <summary><c>xid</c>, and the array of it.</summary>
    public const uint Xid = 28, XidArray = 1011;
    /// <summary><c>cid</c>, and the array of it.</summary>
    public const uint Cid = 29, CidArray = 1012;
    /// <summary><c>json</c>, and the array of it.</summary>
    public const uint Json = 114, JsonArray = 199;
    /// <summary><c>xml</c>, and the array of it.</summary>
    public const uint Xml = 142, XmlArray = 143;
    /// <summary><c>xid8</c>, and the array of it.</summary>
    public const uint Xid8 = 5069, Xid8Array = 271;
    /// <summary><c>point</c>, and the array of it.</summary>
    public const uint Point = 600, PointArray = 1017;
    /// <summary><c>lseg</c>, and the array of it.</summary>
    public const uint LineSegment = 601, LineSegmentArray = 1018;
    /// <summary><c>path</c>, and the array of it.</summary>
    public const uint Path = 602, PathArray = 1019;
    /// <summary><c>box</c>, and the array of it.</summary>
    public const uint Box = 603, BoxArray = 1020;
    /// <summary><c>polygon</c>, and the array of it.</summary>
    public const uint Polygon = 604, PolygonArray = 1027;
    /// <summary><c>line</c>, and the array of it.</summary>
    public const uint Line = 628, LineArray = 629;
    /// <summary><c>float4</c>, and the array of it.</summary>
    public const uint Float4 = 700, Float4Array = 1021;
    /// <summary><c>float8</c>, and the array of it.</summary>
    public const uint Float8 = 701, Float8Array = 1022;
    /// <summary><c>unknown</c>.</summary>
    public const uint Unknown = 705;
    /// <summary><c>circle</c>, and the array of it.</summary>
    public const uint Circle = 718, CircleArray = 719;
    /// <summary><c>money</c>, and the array of it.</summary>
    public const uint Money = 790, MoneyArray = 791;
    /// <summary><c>macaddr</c>, and the array of it.</summary>
    public const uint MacAddr = 829, MacAddrArray = 1040;
    /// <summary><c>inet</c>, and the array of it.</summary>
    public const uint Inet = 869, InetArray = 1041;
    /// <summary><c>cidr</c>, and the array of it.</summary>
    public const uint Cidr = 650, CidrArray = 651;
    /// <summary><c>macaddr8</c>, and the array of it.</summary>
    public const uint MacAddr8 = 774, MacAddr8Array = 775;
    /// <summary><c>aclitem</c>, and the array of it.</summary>
    public const uint AclItem = 1033, AclItemArray = 1034;
    /// <summary><c>bpchar</c>, and the array of it.</summary>
    public const uint BpChar = 1042, BpCharArray = 1014;
    /// <summary><c>varchar</c>, and the array of it.</summary>
    public const uint VarChar = 1043, VarCharArray = 1015;
    /// <summary><c>date</c>, and the array of it.</summary>
    public const uint Date = 1082, DateArray = 1182;
    /// <summary><c>time</c>, and the array of it.</summary>
    public const uint Time = 1083, TimeArray = 1183;
    /// <summary><c>timestamp</c>, and the array of it.</summary>
    public const uint Timestamp = 1114, TimestampArray = 1115;
    /// <summary><c>timestamptz</c>, and the array of it.</summary>
    public const uint TimestampTz = 1184, TimestampTzArray = 1185;
    /// <summary><c>interval</c>, and the array of it.</summary>
    public const uint Interval = 1186, IntervalArray = 1187;
    /// <summary><c>timetz</c>, and the array of it.</summary>
    public const uint TimeTz = 1266, TimeTzArray = 1270;
    /// <summary><c>bit</c>, and the array of it.</summary>
    public const uint Bit = 1560, BitArray = 1561;
    /// <summary><c>varbit</c>, and the array of it.</summary>
    public const uint VarBit = 1562, VarBitArray = 1563;
    /// <summary><c>numeric</c>, and the array of it.</summary>
    public const uint Numeric = 1700, NumericArray = 1231;
    /// <summary><c>refcursor</c>, and the array of it.</summary>
    public const uint RefCursor = 1790, RefCursorArray = 2201;
    /// <summary><c>regprocedure</c>, and the array of it.</summary>
    public const uint RegProcedure = 2202, RegProcedureArray = 2207;
    /// <summary><c>regoper</c>, and the array of it.</summary>
    public const uint RegOper = 2203, RegOperArray = 2208;
    /// <summary><c>regoperator</c>, and the array of it.</summary>
    public const uint RegOperator = 2204, RegOperatorArray = 2209;
    /// <summary><c>regclass</c>, and the array of it.</summary>
    public const uint RegClass = 2205, RegClassArray = 2210;
    /// <summary><c>regcollation</c>, and the array of it.</summary>
    public const uint RegCollation = 4191, RegCollationArray = 4192;
    /// <summary><c>regtype</c>, and the array of it.</summary>
    public const uint RegType = 2206, RegTypeArray = 2211;
    /// <summary><c>regrole</c>, and the array of it.</summary>
    public const uint RegRole = 4096, RegRoleArray = 4097;
    /// <summary><c>regnamespace</c>, and the array of it.</summary>
    public const uint RegNamespace = 4089, RegNamespaceArray = 4090;
    /// <summary><c>uuid</c>, and the array of it.</summary>
    public const uint Uuid = 2950, UuidArray = 2951;
    /// <summary><c>pg_lsn</c>, and the array of it.</summary>
    public const uint PgLsn = 3220, PgLsnArray = 3221;
    /// <summary><c>tsvector</c>, and the array of it.</summary>
    public const uint TsVector = 3614, TsVectorArray = 3643;
    /// <summary><c>tsquery</c>, and the array of it.</summary>
    public const uint TsQuery = 3615, TsQueryArray = 3645;
    /// <summary><c>regconfig</c>, and the array of it.</summary>
    public const uint RegConfig = 3734, RegConfigArray = 3735;
    /// <summary><c>regdictionary</c>, and the array of it.</summary>
    public const uint RegDictionary = 3769, RegDictionaryArray = 3770;
    /// <summary><c>jsonb</c>, and the array of it.</summary>
    public const uint Jsonb = 3802, JsonbArray = 3807;
    /// <summary><c>jsonpath</c>, and the array of it.</summary>
    public const uint JsonPath = 4072, JsonPathArray = 4073;
    /// <summary><c>txid_snapshot</c>, and the array of it.</summary>
    public const uint TxidSnapshot = 2970, TxidSnapshotArray = 2949;
    /// <summary><c>pg_snapshot</c>, and the array of it.</summary>
    public const uint PgSnapshot = 5038, PgSnapshotArray = 5039;
    /// <summary><c>int4range</c>, and the array of it.</summary>
    public const uint Int4Range = 3904, Int4RangeArray = 3905;
    /// <summary><c>numrange</c>, and the array of it.</summary>
    public const uint NumRange = 3906, NumRangeArray = 3907;
    /// <summary><c>tsrange</c>, and the array of it.</summary>
    public const uint TsRange = 3908, TsRangeArray = 3909;
    /// <summary><c>tstzrange</c>, and the array of it.</summary>
    public const uint TsTzRange = 3910, TsTzRangeArray = 3911;
    /// <summary><c>daterange</c>, and the array of it.</summary>
    public const uint DateRange = 3912, DateRangeArray = 3913;
    /// <summary><c>int8range</c>, and the array of it.</summary>
    public const uint Int8Range = 3926, Int8RangeArray = 3927;
    /// <summary><c>int4multirange</c>, and the array of it.</summary>
    public const uint Int4MultiRange = 4451, Int4MultiRangeArray = 6150;
    /// <summary><c>nummultirange</c>, and the array of it.</summary>
    public const uint NumMultiRange = 4532, NumMultiRangeArray = 6151;
    /// <summary><c>tsmultirange</c>, and the array of it.</summary>
    public const uint TsMultiRange = 4533, TsMultiRangeArray = 6152;
    /// <summary><c>tstzmultirange</c>, and the array of it.</summary>
    public const uint TsTzMultiRange = 4534, TsTzMultiRangeArray = 6153;
    /// <summary><c>datemultirange</c>, and the array of it.</summary>
    public const uint DateMultiRange = 4535, DateMultiRangeArray = 6155;
    /// <summary><c>int8multirange</c>, and the array of it.</summary>
    public const uint Int8MultiRange = 4536, Int8MultiRangeArray = 6157;
    /// <summary><c>record</c>, and the array of it.</summary>
    public const uint Record = 2249, RecordArray = 2287;
    /// <summary><c>cstring</c>, and the array of it.</summary>
    public const uint CString = 2275, CStringArray = 1263;
    /// <summary><c>void</c>.</summary>
    public const uint Void = 2278;
    /// <summary><c>int2vector</c>, and the array of it.</summary>
    public const uint Int2Vector = 22, Int2VectorArray = 1006;
    /// <summary><c>oidvector</c>, and the array of it.</summary>
    public const uint OidVector = 30, OidVectorArray = 1013;
}

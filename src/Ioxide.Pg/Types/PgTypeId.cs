namespace Ioxide.Pg;

/// <summary>OIDs of the types that every PostgreSQL server has.</summary>
/// <remarks>Source: src/include/catalog/pg_type.dat.</remarks>
#pragma warning disable CA1720 // They are the names of the server's types.
public static class PgTypeId
{
    /// <summary><c>bool</c>.</summary>
    public const uint Bool = 16;

    /// <summary><c>bool[]</c>.</summary>
    public const uint BoolArray = 1000;

    /// <summary><c>bytea</c>.</summary>
    public const uint Bytea = 17;

    /// <summary><c>bytea[]</c>.</summary>
    public const uint ByteaArray = 1001;

    /// <summary><c>&quot;char&quot;</c>.</summary>
    public const uint InternalChar = 18;

    /// <summary><c>&quot;char&quot;[]</c>.</summary>
    public const uint InternalCharArray = 1002;

    /// <summary><c>name</c>.</summary>
    public const uint Name = 19;

    /// <summary><c>name[]</c>.</summary>
    public const uint NameArray = 1003;

    /// <summary><c>int8</c>.</summary>
    public const uint Int8 = 20;

    /// <summary><c>int8[]</c>.</summary>
    public const uint Int8Array = 1016;

    /// <summary><c>int2</c>.</summary>
    public const uint Int2 = 21;

    /// <summary><c>int2[]</c>.</summary>
    public const uint Int2Array = 1005;

    /// <summary><c>int4</c>.</summary>
    public const uint Int4 = 23;

    /// <summary><c>int4[]</c>.</summary>
    public const uint Int4Array = 1007;

    /// <summary><c>regproc</c>.</summary>
    public const uint RegProc = 24;

    /// <summary><c>regproc[]</c>.</summary>
    public const uint RegProcArray = 1008;

    /// <summary><c>text</c>.</summary>
    public const uint Text = 25;

    /// <summary><c>text[]</c>.</summary>
    public const uint TextArray = 1009;

    /// <summary><c>oid</c>.</summary>
    public const uint Oid = 26;

    /// <summary><c>oid[]</c>.</summary>
    public const uint OidArray = 1028;

    /// <summary><c>tid</c>.</summary>
    public const uint Tid = 27;

    /// <summary><c>tid[]</c>.</summary>
    public const uint TidArray = 1010;

    /// <summary><c>xid</c>.</summary>
    public const uint Xid = 28;

    /// <summary><c>xid[]</c>.</summary>
    public const uint XidArray = 1011;

    /// <summary><c>cid</c>.</summary>
    public const uint Cid = 29;

    /// <summary><c>cid[]</c>.</summary>
    public const uint CidArray = 1012;

    /// <summary><c>json</c>.</summary>
    public const uint Json = 114;

    /// <summary><c>json[]</c>.</summary>
    public const uint JsonArray = 199;

    /// <summary><c>xml</c>.</summary>
    public const uint Xml = 142;

    /// <summary><c>xml[]</c>.</summary>
    public const uint XmlArray = 143;

    /// <summary><c>xid8</c>.</summary>
    public const uint Xid8 = 5069;

    /// <summary><c>xid8[]</c>.</summary>
    public const uint Xid8Array = 271;

    /// <summary><c>point</c>.</summary>
    public const uint Point = 600;

    /// <summary><c>point[]</c>.</summary>
    public const uint PointArray = 1017;

    /// <summary><c>lseg</c>.</summary>
    public const uint LineSegment = 601;

    /// <summary><c>lseg[]</c>.</summary>
    public const uint LineSegmentArray = 1018;

    /// <summary><c>path</c>.</summary>
    public const uint Path = 602;

    /// <summary><c>path[]</c>.</summary>
    public const uint PathArray = 1019;

    /// <summary><c>box</c>.</summary>
    public const uint Box = 603;

    /// <summary><c>box[]</c>.</summary>
    public const uint BoxArray = 1020;

    /// <summary><c>polygon</c>.</summary>
    public const uint Polygon = 604;

    /// <summary><c>polygon[]</c>.</summary>
    public const uint PolygonArray = 1027;

    /// <summary><c>line</c>.</summary>
    public const uint Line = 628;

    /// <summary><c>line[]</c>.</summary>
    public const uint LineArray = 629;

    /// <summary><c>float4</c>.</summary>
    public const uint Float4 = 700;

    /// <summary><c>float4[]</c>.</summary>
    public const uint Float4Array = 1021;

    /// <summary><c>float8</c>.</summary>
    public const uint Float8 = 701;

    /// <summary><c>float8[]</c>.</summary>
    public const uint Float8Array = 1022;

    /// <summary><c>unknown</c>.</summary>
    public const uint Unknown = 705;

    /// <summary><c>circle</c>.</summary>
    public const uint Circle = 718;

    /// <summary><c>circle[]</c>.</summary>
    public const uint CircleArray = 719;

    /// <summary><c>money</c>.</summary>
    public const uint Money = 790;

    /// <summary><c>money[]</c>.</summary>
    public const uint MoneyArray = 791;

    /// <summary><c>macaddr</c>.</summary>
    public const uint MacAddr = 829;

    /// <summary><c>macaddr[]</c>.</summary>
    public const uint MacAddrArray = 1040;

    /// <summary><c>inet</c>.</summary>
    public const uint Inet = 869;

    /// <summary><c>inet[]</c>.</summary>
    public const uint InetArray = 1041;

    /// <summary><c>cidr</c>.</summary>
    public const uint Cidr = 650;

    /// <summary><c>cidr[]</c>.</summary>
    public const uint CidrArray = 651;

    /// <summary><c>macaddr8</c>.</summary>
    public const uint MacAddr8 = 774;

    /// <summary><c>macaddr8[]</c>.</summary>
    public const uint MacAddr8Array = 775;

    /// <summary><c>aclitem</c>.</summary>
    public const uint AclItem = 1033;

    /// <summary><c>aclitem[]</c>.</summary>
    public const uint AclItemArray = 1034;

    /// <summary><c>bpchar</c>.</summary>
    public const uint BpChar = 1042;

    /// <summary><c>bpchar[]</c>.</summary>
    public const uint BpCharArray = 1014;

    /// <summary><c>varchar</c>.</summary>
    public const uint VarChar = 1043;

    /// <summary><c>varchar[]</c>.</summary>
    public const uint VarCharArray = 1015;

    /// <summary><c>date</c>.</summary>
    public const uint Date = 1082;

    /// <summary><c>date[]</c>.</summary>
    public const uint DateArray = 1182;

    /// <summary><c>time</c>.</summary>
    public const uint Time = 1083;

    /// <summary><c>time[]</c>.</summary>
    public const uint TimeArray = 1183;

    /// <summary><c>timestamp</c>.</summary>
    public const uint Timestamp = 1114;

    /// <summary><c>timestamp[]</c>.</summary>
    public const uint TimestampArray = 1115;

    /// <summary><c>timestamptz</c>.</summary>
    public const uint TimestampTz = 1184;

    /// <summary><c>timestamptz[]</c>.</summary>
    public const uint TimestampTzArray = 1185;

    /// <summary><c>interval</c>.</summary>
    public const uint Interval = 1186;

    /// <summary><c>interval[]</c>.</summary>
    public const uint IntervalArray = 1187;

    /// <summary><c>timetz</c>.</summary>
    public const uint TimeTz = 1266;

    /// <summary><c>timetz[]</c>.</summary>
    public const uint TimeTzArray = 1270;

    /// <summary><c>bit</c>.</summary>
    public const uint Bit = 1560;

    /// <summary><c>bit[]</c>.</summary>
    public const uint BitArray = 1561;

    /// <summary><c>varbit</c>.</summary>
    public const uint VarBit = 1562;

    /// <summary><c>varbit[]</c>.</summary>
    public const uint VarBitArray = 1563;

    /// <summary><c>numeric</c>.</summary>
    public const uint Numeric = 1700;

    /// <summary><c>numeric[]</c>.</summary>
    public const uint NumericArray = 1231;

    /// <summary><c>refcursor</c>.</summary>
    public const uint RefCursor = 1790;

    /// <summary><c>refcursor[]</c>.</summary>
    public const uint RefCursorArray = 2201;

    /// <summary><c>regprocedure</c>.</summary>
    public const uint RegProcedure = 2202;

    /// <summary><c>regprocedure[]</c>.</summary>
    public const uint RegProcedureArray = 2207;

    /// <summary><c>regoper</c>.</summary>
    public const uint RegOper = 2203;

    /// <summary><c>regoper[]</c>.</summary>
    public const uint RegOperArray = 2208;

    /// <summary><c>regoperator</c>.</summary>
    public const uint RegOperator = 2204;

    /// <summary><c>regoperator[]</c>.</summary>
    public const uint RegOperatorArray = 2209;

    /// <summary><c>regclass</c>.</summary>
    public const uint RegClass = 2205;

    /// <summary><c>regclass[]</c>.</summary>
    public const uint RegClassArray = 2210;

    /// <summary><c>regcollation</c>.</summary>
    public const uint RegCollation = 4191;

    /// <summary><c>regcollation[]</c>.</summary>
    public const uint RegCollationArray = 4192;

    /// <summary><c>regtype</c>.</summary>
    public const uint RegType = 2206;

    /// <summary><c>regtype[]</c>.</summary>
    public const uint RegTypeArray = 2211;

    /// <summary><c>regrole</c>.</summary>
    public const uint RegRole = 4096;

    /// <summary><c>regrole[]</c>.</summary>
    public const uint RegRoleArray = 4097;

    /// <summary><c>regnamespace</c>.</summary>
    public const uint RegNamespace = 4089;

    /// <summary><c>regnamespace[]</c>.</summary>
    public const uint RegNamespaceArray = 4090;

    /// <summary><c>uuid</c>.</summary>
    public const uint Uuid = 2950;

    /// <summary><c>uuid[]</c>.</summary>
    public const uint UuidArray = 2951;

    /// <summary><c>pg_lsn</c>.</summary>
    public const uint PgLsn = 3220;

    /// <summary><c>pg_lsn[]</c>.</summary>
    public const uint PgLsnArray = 3221;

    /// <summary><c>tsvector</c>.</summary>
    public const uint TsVector = 3614;

    /// <summary><c>tsvector[]</c>.</summary>
    public const uint TsVectorArray = 3643;

    /// <summary><c>tsquery</c>.</summary>
    public const uint TsQuery = 3615;

    /// <summary><c>tsquery[]</c>.</summary>
    public const uint TsQueryArray = 3645;

    /// <summary><c>regconfig</c>.</summary>
    public const uint RegConfig = 3734;

    /// <summary><c>regconfig[]</c>.</summary>
    public const uint RegConfigArray = 3735;

    /// <summary><c>regdictionary</c>.</summary>
    public const uint RegDictionary = 3769;

    /// <summary><c>regdictionary[]</c>.</summary>
    public const uint RegDictionaryArray = 3770;

    /// <summary><c>jsonb</c>.</summary>
    public const uint Jsonb = 3802;

    /// <summary><c>jsonb[]</c>.</summary>
    public const uint JsonbArray = 3807;

    /// <summary><c>jsonpath</c>.</summary>
    public const uint JsonPath = 4072;

    /// <summary><c>jsonpath[]</c>.</summary>
    public const uint JsonPathArray = 4073;

    /// <summary><c>txid_snapshot</c>.</summary>
    public const uint TxidSnapshot = 2970;

    /// <summary><c>txid_snapshot[]</c>.</summary>
    public const uint TxidSnapshotArray = 2949;

    /// <summary><c>pg_snapshot</c>.</summary>
    public const uint PgSnapshot = 5038;

    /// <summary><c>pg_snapshot[]</c>.</summary>
    public const uint PgSnapshotArray = 5039;

    /// <summary><c>int4range</c>.</summary>
    public const uint Int4Range = 3904;

    /// <summary><c>int4range[]</c>.</summary>
    public const uint Int4RangeArray = 3905;

    /// <summary><c>numrange</c>.</summary>
    public const uint NumRange = 3906;

    /// <summary><c>numrange[]</c>.</summary>
    public const uint NumRangeArray = 3907;

    /// <summary><c>tsrange</c>.</summary>
    public const uint TsRange = 3908;

    /// <summary><c>tsrange[]</c>.</summary>
    public const uint TsRangeArray = 3909;

    /// <summary><c>tstzrange</c>.</summary>
    public const uint TsTzRange = 3910;

    /// <summary><c>tstzrange[]</c>.</summary>
    public const uint TsTzRangeArray = 3911;

    /// <summary><c>daterange</c>.</summary>
    public const uint DateRange = 3912;

    /// <summary><c>daterange[]</c>.</summary>
    public const uint DateRangeArray = 3913;

    /// <summary><c>int8range</c>.</summary>
    public const uint Int8Range = 3926;

    /// <summary><c>int8range[]</c>.</summary>
    public const uint Int8RangeArray = 3927;

    /// <summary><c>int4multirange</c>.</summary>
    public const uint Int4MultiRange = 4451;

    /// <summary><c>int4multirange[]</c>.</summary>
    public const uint Int4MultiRangeArray = 6150;

    /// <summary><c>nummultirange</c>.</summary>
    public const uint NumMultiRange = 4532;

    /// <summary><c>nummultirange[]</c>.</summary>
    public const uint NumMultiRangeArray = 6151;

    /// <summary><c>tsmultirange</c>.</summary>
    public const uint TsMultiRange = 4533;

    /// <summary><c>tsmultirange[]</c>.</summary>
    public const uint TsMultiRangeArray = 6152;

    /// <summary><c>tstzmultirange</c>.</summary>
    public const uint TsTzMultiRange = 4534;

    /// <summary><c>tstzmultirange[]</c>.</summary>
    public const uint TsTzMultiRangeArray = 6153;

    /// <summary><c>datemultirange</c>.</summary>
    public const uint DateMultiRange = 4535;

    /// <summary><c>datemultirange[]</c>.</summary>
    public const uint DateMultiRangeArray = 6155;

    /// <summary><c>int8multirange</c>.</summary>
    public const uint Int8MultiRange = 4536;

    /// <summary><c>int8multirange[]</c>.</summary>
    public const uint Int8MultiRangeArray = 6157;

    /// <summary><c>record</c>.</summary>
    public const uint Record = 2249;

    /// <summary><c>record[]</c>.</summary>
    public const uint RecordArray = 2287;

    /// <summary><c>cstring</c>.</summary>
    public const uint CString = 2275;

    /// <summary><c>cstring[]</c>.</summary>
    public const uint CStringArray = 1263;

    /// <summary><c>void</c>.</summary>
    public const uint Void = 2278;

    /// <summary><c>int2vector</c>.</summary>
    public const uint Int2Vector = 22;

    /// <summary><c>int2vector[]</c>.</summary>
    public const uint Int2VectorArray = 1006;

    /// <summary><c>oidvector</c>.</summary>
    public const uint OidVector = 30;

    /// <summary><c>oidvector[]</c>.</summary>
    public const uint OidVectorArray = 1013;
}

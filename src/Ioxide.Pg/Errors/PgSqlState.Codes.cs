namespace Ioxide.Pg;

// Source: PostgreSQL 15, appendix A, in the order of that table. The comment of a class applies to all its conditions.
public static partial class PgSqlState
{
    /// <summary>Class 00 - Successful Completion.</summary>
    public const string SuccessfulCompletion = "00000";
    /// <summary>Class 01 - Warning.</summary>
    public const string
        Warning = "01000",
        WarningDynamicResultSetsReturned = "0100C",
        WarningImplicitZeroBitPadding = "01008",
        WarningNullValueEliminatedInSetFunction = "01003",
        WarningPrivilegeNotGranted = "01007",
        WarningPrivilegeNotRevoked = "01006",
        WarningStringDataRightTruncation = "01004",
        WarningDeprecatedFeature = "01P01";
    /// <summary>Class 02 - No Data (this is also a warning class per the SQL standard).</summary>
    public const string
        NoData = "02000",
        NoAdditionalDynamicResultSetsReturned = "02001";
    /// <summary>Class 03 - SQL Statement Not Yet Complete.</summary>
    public const string SqlStatementNotYetComplete = "03000";
    /// <summary>Class 08 - Connection Exception.</summary>
    public const string
        ConnectionException = "08000",
        ConnectionDoesNotExist = "08003",
        ConnectionFailure = "08006",
        SqlClientUnableToEstablishSqlConnection = "08001",
        SqlServerRejectedEstablishmentOfSqlConnection = "08004",
        TransactionResolutionUnknown = "08007",
        ProtocolViolation = "08P01";
    /// <summary>Class 09 - Triggered Action Exception.</summary>
    public const string TriggeredActionException = "09000";
    /// <summary>Class 0A - Feature Not Supported.</summary>
    public const string FeatureNotSupported = "0A000";
    /// <summary>Class 0B - Invalid Transaction Initiation.</summary>
    public const string InvalidTransactionInitiation = "0B000";
    /// <summary>Class 0F - Locator Exception.</summary>
    public const string
        LocatorException = "0F000",
        LocatorInvalidSpecification = "0F001";
    /// <summary>Class 0L - Invalid Grantor.</summary>
    public const string
        InvalidGrantor = "0L000",
        InvalidGrantOperation = "0LP01";
    /// <summary>Class 0P - Invalid Role Specification.</summary>
    public const string InvalidRoleSpecification = "0P000";
    /// <summary>Class 0Z - Diagnostics Exception.</summary>
    public const string
        DiagnosticsException = "0Z000",
        StackedDiagnosticsAccessedWithoutActiveHandler = "0Z002";
    /// <summary>Class 20 - Case Not Found.</summary>
    public const string CaseNotFound = "20000";
    /// <summary>Class 21 - Cardinality Violation.</summary>
    public const string CardinalityViolation = "21000";
    /// <summary>Class 22 - Data Exception.</summary>
    public const string
        DataException = "22000",
        ArraySubscriptError = "2202E",
        CharacterNotInRepertoire = "22021",
        DatetimeFieldOverflow = "22008",
        DivisionByZero = "22012",
        ErrorInAssignment = "22005",
        EscapeCharacterConflict = "2200B",
        IndicatorOverflow = "22022",
        IntervalFieldOverflow = "22015",
        InvalidArgumentForLog = "2201E",
        InvalidArgumentForNtile = "22014",
        InvalidArgumentForNthValue = "22016",
        InvalidArgumentForPowerFunction = "2201F",
        InvalidArgumentForWidthBucketFunction = "2201G",
        InvalidCharacterValueForCast = "22018",
        InvalidDatetimeFormat = "22007",
        InvalidEscapeCharacter = "22019",
        InvalidEscapeOctet = "2200D",
        InvalidEscapeSequence = "22025",
        NonstandardUseOfEscapeCharacter = "22P06",
        InvalidIndicatorParameterValue = "22010",
        InvalidParameterValue = "22023",
        InvalidPrecedingOrFollowingSize = "22013",
        InvalidRegularExpression = "2201B",
        InvalidRowCountInLimitClause = "2201W",
        InvalidRowCountInResultOffsetClause = "2201X",
        InvalidTablesampleArgument = "2202H",
        InvalidTablesampleRepeat = "2202G",
        InvalidTimeZoneDisplacementValue = "22009",
        InvalidUseOfEscapeCharacter = "2200C",
        MostSpecificTypeMismatch = "2200G",
        NullValueNotAllowed = "22004",
        NullValueNoIndicatorParameter = "22002",
        NumericValueOutOfRange = "22003",
        SequenceGeneratorLimitExceeded = "2200H",
        StringDataLengthMismatch = "22026",
        StringDataRightTruncation = "22001",
        SubstringError = "22011",
        TrimError = "22027",
        UnterminatedCString = "22024",
        ZeroLengthCharacterString = "2200F",
        FloatingPointException = "22P01",
        InvalidTextRepresentation = "22P02",
        InvalidBinaryRepresentation = "22P03",
        BadCopyFileFormat = "22P04",
        UntranslatableCharacter = "22P05",
        NotAnXmlDocument = "2200L",
        InvalidXmlDocument = "2200M",
        InvalidXmlContent = "2200N",
        InvalidXmlComment = "2200S",
        InvalidXmlProcessingInstruction = "2200T",
        DuplicateJsonObjectKeyValue = "22030",
        InvalidArgumentForSqlJsonDatetimeFunction = "22031",
        InvalidJsonText = "22032",
        InvalidSqlJsonSubscript = "22033",
        MoreThanOneSqlJsonItem = "22034",
        NoSqlJsonItem = "22035",
        NonNumericSqlJsonItem = "22036",
        NonUniqueKeysInAJsonObject = "22037",
        SingletonSqlJsonItemRequired = "22038",
        SqlJsonArrayNotFound = "22039",
        SqlJsonMemberNotFound = "2203A",
        SqlJsonNumberNotFound = "2203B",
        SqlJsonObjectNotFound = "2203C",
        TooManyJsonArrayElements = "2203D",
        TooManyJsonObjectMembers = "2203E",
        SqlJsonScalarRequired = "2203F",
        SqlJsonItemCannotBeCastToTargetType = "2203G";
    /// <summary>Class 23 - Integrity Constraint Violation.</summary>
    public const string
        IntegrityConstraintViolation = "23000",
        RestrictViolation = "23001",
        NotNullViolation = "23502",
        ForeignKeyViolation = "23503",
        UniqueViolation = "23505",
        CheckViolation = "23514",
        ExclusionViolation = "23P01";
    /// <summary>Class 24 - Invalid Cursor State.</summary>
    public const string InvalidCursorState = "24000";
    /// <summary>Class 25 - Invalid Transaction State.</summary>
    public const string
        InvalidTransactionState = "25000",
        ActiveSqlTransaction = "25001",
        BranchTransactionAlreadyActive = "25002",
        HeldCursorRequiresSameIsolationLevel = "25008",
        InappropriateAccessModeForBranchTransaction = "25003",
        InappropriateIsolationLevelForBranchTransaction = "25004",
        NoActiveSqlTransactionForBranchTransaction = "25005",
        ReadOnlySqlTransaction = "25006",
        SchemaAndDataStatementMixingNotSupported = "25007",
        NoActiveSqlTransaction = "25P01",
        InFailedSqlTransaction = "25P02",
        IdleInTransactionSessionTimeout = "25P03";
    /// <summary>Class 26 - Invalid SQL Statement Name.</summary>
    public const string InvalidSqlStatementName = "26000";
    /// <summary>Class 27 - Triggered Data Change Violation.</summary>
    public const string TriggeredDataChangeViolation = "27000";
    /// <summary>Class 28 - Invalid Authorization Specification.</summary>
    public const string
        InvalidAuthorizationSpecification = "28000",
        InvalidPassword = "28P01";
    /// <summary>Class 2B - Dependent Privilege Descriptors Still Exist.</summary>
    public const string
        DependentPrivilegeDescriptorsStillExist = "2B000",
        DependentObjectsStillExist = "2BP01";
    /// <summary>Class 2D - Invalid Transaction Termination.</summary>
    public const string InvalidTransactionTermination = "2D000";
    /// <summary>Class 2F - SQL Routine Exception.</summary>
    public const string
        SqlRoutineException = "2F000",
        SqlRoutineFunctionExecutedNoReturnStatement = "2F005",
        SqlRoutineModifyingSqlDataNotPermitted = "2F002",
        SqlRoutineProhibitedSqlStatementAttempted = "2F003",
        SqlRoutineReadingSqlDataNotPermitted = "2F004";
    /// <summary>Class 34 - Invalid Cursor Name.</summary>
    public const string InvalidCursorName = "34000";
    /// <summary>Class 38 - External Routine Exception.</summary>
    public const string
        ExternalRoutineException = "38000",
        ExternalRoutineContainingSqlNotPermitted = "38001",
        ExternalRoutineModifyingSqlDataNotPermitted = "38002",
        ExternalRoutineProhibitedSqlStatementAttempted = "38003",
        ExternalRoutineReadingSqlDataNotPermitted = "38004";
    /// <summary>Class 39 - External Routine Invocation Exception.</summary>
    public const string
        ExternalRoutineInvocationException = "39000",
        ExternalRoutineInvocationInvalidSqlstateReturned = "39001",
        ExternalRoutineInvocationNullValueNotAllowed = "39004",
        ExternalRoutineInvocationTriggerProtocolViolated = "39P01",
        ExternalRoutineInvocationSrfProtocolViolated = "39P02",
        ExternalRoutineInvocationEventTriggerProtocolViolated = "39P03";
    /// <summary>Class 3B - Savepoint Exception.</summary>
    public const string
        SavepointException = "3B000",
        SavepointInvalidSpecification = "3B001";
    /// <summary>Class 3D - Invalid Catalog Name.</summary>
    public const string InvalidCatalogName = "3D000";
    /// <summary>Class 3F - Invalid Schema Name.</summary>
    public const string InvalidSchemaName = "3F000";
    /// <summary>Class 40 - Transaction Rollback.</summary>
    public const string
        TransactionRollback = "40000",
        TransactionIntegrityConstraintViolation = "40002",
        SerializationFailure = "40001",
        StatementCompletionUnknown = "40003",
        DeadlockDetected = "40P01";
    /// <summary>Class 42 - Syntax Error or Access Rule Violation.</summary>
    public const string
        SyntaxErrorOrAccessRuleViolation = "42000",
        SyntaxError = "42601",
        InsufficientPrivilege = "42501",
        CannotCoerce = "42846",
        GroupingError = "42803",
        WindowingError = "42P20",
        InvalidRecursion = "42P19",
        InvalidForeignKey = "42830",
        InvalidName = "42602",
        NameTooLong = "42622",
        ReservedName = "42939",
        DatatypeMismatch = "42804",
        IndeterminateDatatype = "42P18",
        CollationMismatch = "42P21",
        IndeterminateCollation = "42P22",
        WrongObjectType = "42809",
        GeneratedAlways = "428C9",
        UndefinedColumn = "42703",
        UndefinedFunction = "42883",
        UndefinedTable = "42P01",
        UndefinedParameter = "42P02",
        UndefinedObject = "42704",
        DuplicateColumn = "42701",
        DuplicateCursor = "42P03",
        DuplicateDatabase = "42P04",
        DuplicateFunction = "42723",
        DuplicatePreparedStatement = "42P05",
        DuplicateSchema = "42P06",
        DuplicateTable = "42P07",
        DuplicateAlias = "42712",
        DuplicateObject = "42710",
        AmbiguousColumn = "42702",
        AmbiguousFunction = "42725",
        AmbiguousParameter = "42P08",
        AmbiguousAlias = "42P09",
        InvalidColumnReference = "42P10",
        InvalidColumnDefinition = "42611",
        InvalidCursorDefinition = "42P11",
        InvalidDatabaseDefinition = "42P12",
        InvalidFunctionDefinition = "42P13",
        InvalidPreparedStatementDefinition = "42P14",
        InvalidSchemaDefinition = "42P15",
        InvalidTableDefinition = "42P16",
        InvalidObjectDefinition = "42P17";
    /// <summary>Class 44 - WITH CHECK OPTION Violation.</summary>
    public const string WithCheckOptionViolation = "44000";
    /// <summary>Class 53 - Insufficient Resources.</summary>
    public const string
        InsufficientResources = "53000",
        DiskFull = "53100",
        OutOfMemory = "53200",
        TooManyConnections = "53300",
        ConfigurationLimitExceeded = "53400";
    /// <summary>Class 54 - Program Limit Exceeded.</summary>
    public const string
        ProgramLimitExceeded = "54000",
        StatementTooComplex = "54001",
        TooManyColumns = "54011",
        TooManyArguments = "54023";
    /// <summary>Class 55 - Object Not In Prerequisite State.</summary>
    public const string
        ObjectNotInPrerequisiteState = "55000",
        ObjectInUse = "55006",
        CantChangeRuntimeParam = "55P02",
        LockNotAvailable = "55P03",
        UnsafeNewEnumValueUsage = "55P04";
    /// <summary>Class 57 - Operator Intervention.</summary>
    public const string
        OperatorIntervention = "57000",
        QueryCanceled = "57014",
        AdminShutdown = "57P01",
        CrashShutdown = "57P02",
        CannotConnectNow = "57P03",
        DatabaseDropped = "57P04",
        IdleSessionTimeout = "57P05";
    /// <summary>Class 58 - System Error (errors external to PostgreSQL itself).</summary>
    public const string
        SystemError = "58000",
        IoError = "58030",
        UndefinedFile = "58P01",
        DuplicateFile = "58P02";
    /// <summary>Class 72 - Snapshot Failure.</summary>
    public const string SnapshotTooOld = "72000";
    /// <summary>Class F0 - Configuration File Error.</summary>
    public const string
        ConfigFileError = "F0000",
        LockFileExists = "F0001";
    /// <summary>Class HV - Foreign Data Wrapper Error (SQL/MED).</summary>
    public const string
        FdwError = "HV000",
        FdwColumnNameNotFound = "HV005",
        FdwDynamicParameterValueNeeded = "HV002",
        FdwFunctionSequenceError = "HV010",
        FdwInconsistentDescriptorInformation = "HV021",
        FdwInvalidAttributeValue = "HV024",
        FdwInvalidColumnName = "HV007",
        FdwInvalidColumnNumber = "HV008",
        FdwInvalidDataType = "HV004",
        FdwInvalidDataTypeDescriptors = "HV006",
        FdwInvalidDescriptorFieldIdentifier = "HV091",
        FdwInvalidHandle = "HV00B",
        FdwInvalidOptionIndex = "HV00C",
        FdwInvalidOptionName = "HV00D",
        FdwInvalidStringLengthOrBufferLength = "HV090",
        FdwInvalidStringFormat = "HV00A",
        FdwInvalidUseOfNullPointer = "HV009",
        FdwTooManyHandles = "HV014",
        FdwOutOfMemory = "HV001",
        FdwNoSchemas = "HV00P",
        FdwOptionNameNotFound = "HV00J",
        FdwReplyHandle = "HV00K",
        FdwSchemaNotFound = "HV00Q",
        FdwTableNotFound = "HV00R",
        FdwUnableToCreateExecution = "HV00L",
        FdwUnableToCreateReply = "HV00M",
        FdwUnableToEstablishConnection = "HV00N";
    /// <summary>Class P0 - PL/pgSQL Error.</summary>
    public const string
        PlpgsqlError = "P0000",
        RaiseException = "P0001",
        NoDataFound = "P0002",
        TooManyRows = "P0003",
        AssertFailure = "P0004";
    /// <summary>Class XX - Internal Error.</summary>
    public const string
        InternalError = "XX000",
        DataCorrupted = "XX001",
        IndexCorrupted = "XX002";
}

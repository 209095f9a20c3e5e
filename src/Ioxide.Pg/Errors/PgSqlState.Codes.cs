namespace Ioxide.Pg;

// Source: PostgreSQL 15, appendix A, in the order of that table.
public static partial class PgSqlState
{
    // Class 00 - Successful Completion.
    /// <summary>Successful completion.</summary>
    public const string SuccessfulCompletion = "00000";

    // Class 01 - Warning.
    /// <summary>Warning.</summary>
    public const string Warning = "01000";
    /// <summary>Warning dynamic result sets returned.</summary>
    public const string WarningDynamicResultSetsReturned = "0100C";
    /// <summary>Warning implicit zero bit padding.</summary>
    public const string WarningImplicitZeroBitPadding = "01008";
    /// <summary>Warning null value eliminated in set function.</summary>
    public const string WarningNullValueEliminatedInSetFunction = "01003";
    /// <summary>Warning privilege not granted.</summary>
    public const string WarningPrivilegeNotGranted = "01007";
    /// <summary>Warning privilege not revoked.</summary>
    public const string WarningPrivilegeNotRevoked = "01006";
    /// <summary>Warning string data right truncation.</summary>
    public const string WarningStringDataRightTruncation = "01004";
    /// <summary>Warning deprecated feature.</summary>
    public const string WarningDeprecatedFeature = "01P01";

    // Class 02 - No Data (this is also a warning class per the SQL standard).
    /// <summary>No data.</summary>
    public const string NoData = "02000";
    /// <summary>No additional dynamic result sets returned.</summary>
    public const string NoAdditionalDynamicResultSetsReturned = "02001";

    // Class 03 - SQL Statement Not Yet Complete.
    /// <summary>Sql statement not yet complete.</summary>
    public const string SqlStatementNotYetComplete = "03000";

    // Class 08 - Connection Exception.
    /// <summary>Connection exception.</summary>
    public const string ConnectionException = "08000";
    /// <summary>Connection does not exist.</summary>
    public const string ConnectionDoesNotExist = "08003";
    /// <summary>Connection failure.</summary>
    public const string ConnectionFailure = "08006";
    /// <summary>Sql client unable to establish sql connection.</summary>
    public const string SqlClientUnableToEstablishSqlConnection = "08001";
    /// <summary>Sql server rejected establishment of sql connection.</summary>
    public const string SqlServerRejectedEstablishmentOfSqlConnection = "08004";
    /// <summary>Transaction resolution unknown.</summary>
    public const string TransactionResolutionUnknown = "08007";
    /// <summary>Protocol violation.</summary>
    public const string ProtocolViolation = "08P01";

    // Class 09 - Triggered Action Exception.
    /// <summary>Triggered action exception.</summary>
    public const string TriggeredActionException = "09000";

    // Class 0A - Feature Not Supported.
    /// <summary>Feature not supported.</summary>
    public const string FeatureNotSupported = "0A000";

    // Class 0B - Invalid Transaction Initiation.
    /// <summary>Invalid transaction initiation.</summary>
    public const string InvalidTransactionInitiation = "0B000";

    // Class 0F - Locator Exception.
    /// <summary>Locator exception.</summary>
    public const string LocatorException = "0F000";
    /// <summary>Locator invalid specification.</summary>
    public const string LocatorInvalidSpecification = "0F001";

    // Class 0L - Invalid Grantor.
    /// <summary>Invalid grantor.</summary>
    public const string InvalidGrantor = "0L000";
    /// <summary>Invalid grant operation.</summary>
    public const string InvalidGrantOperation = "0LP01";

    // Class 0P - Invalid Role Specification.
    /// <summary>Invalid role specification.</summary>
    public const string InvalidRoleSpecification = "0P000";

    // Class 0Z - Diagnostics Exception.
    /// <summary>Diagnostics exception.</summary>
    public const string DiagnosticsException = "0Z000";
    /// <summary>Stacked diagnostics accessed without active handler.</summary>
    public const string StackedDiagnosticsAccessedWithoutActiveHandler = "0Z002";

    // Class 20 - Case Not Found.
    /// <summary>Case not found.</summary>
    public const string CaseNotFound = "20000";

    // Class 21 - Cardinality Violation.
    /// <summary>Cardinality violation.</summary>
    public const string CardinalityViolation = "21000";

    // Class 22 - Data Exception.
    /// <summary>Data exception.</summary>
    public const string DataException = "22000";
    /// <summary>Array subscript error.</summary>
    public const string ArraySubscriptError = "2202E";
    /// <summary>Character not in repertoire.</summary>
    public const string CharacterNotInRepertoire = "22021";
    /// <summary>Datetime field overflow.</summary>
    public const string DatetimeFieldOverflow = "22008";
    /// <summary>Division by zero.</summary>
    public const string DivisionByZero = "22012";
    /// <summary>Error in assignment.</summary>
    public const string ErrorInAssignment = "22005";
    /// <summary>Escape character conflict.</summary>
    public const string EscapeCharacterConflict = "2200B";
    /// <summary>Indicator overflow.</summary>
    public const string IndicatorOverflow = "22022";
    /// <summary>Interval field overflow.</summary>
    public const string IntervalFieldOverflow = "22015";
    /// <summary>Invalid argument for log.</summary>
    public const string InvalidArgumentForLog = "2201E";
    /// <summary>Invalid argument for ntile.</summary>
    public const string InvalidArgumentForNtile = "22014";
    /// <summary>Invalid argument for nth value.</summary>
    public const string InvalidArgumentForNthValue = "22016";
    /// <summary>Invalid argument for power function.</summary>
    public const string InvalidArgumentForPowerFunction = "2201F";
    /// <summary>Invalid argument for width bucket function.</summary>
    public const string InvalidArgumentForWidthBucketFunction = "2201G";
    /// <summary>Invalid character value for cast.</summary>
    public const string InvalidCharacterValueForCast = "22018";
    /// <summary>Invalid datetime format.</summary>
    public const string InvalidDatetimeFormat = "22007";
    /// <summary>Invalid escape character.</summary>
    public const string InvalidEscapeCharacter = "22019";
    /// <summary>Invalid escape octet.</summary>
    public const string InvalidEscapeOctet = "2200D";
    /// <summary>Invalid escape sequence.</summary>
    public const string InvalidEscapeSequence = "22025";
    /// <summary>Nonstandard use of escape character.</summary>
    public const string NonstandardUseOfEscapeCharacter = "22P06";
    /// <summary>Invalid indicator parameter value.</summary>
    public const string InvalidIndicatorParameterValue = "22010";
    /// <summary>Invalid parameter value.</summary>
    public const string InvalidParameterValue = "22023";
    /// <summary>Invalid preceding or following size.</summary>
    public const string InvalidPrecedingOrFollowingSize = "22013";
    /// <summary>Invalid regular expression.</summary>
    public const string InvalidRegularExpression = "2201B";
    /// <summary>Invalid row count in limit clause.</summary>
    public const string InvalidRowCountInLimitClause = "2201W";
    /// <summary>Invalid row count in result offset clause.</summary>
    public const string InvalidRowCountInResultOffsetClause = "2201X";
    /// <summary>Invalid tablesample argument.</summary>
    public const string InvalidTablesampleArgument = "2202H";
    /// <summary>Invalid tablesample repeat.</summary>
    public const string InvalidTablesampleRepeat = "2202G";
    /// <summary>Invalid time zone displacement value.</summary>
    public const string InvalidTimeZoneDisplacementValue = "22009";
    /// <summary>Invalid use of escape character.</summary>
    public const string InvalidUseOfEscapeCharacter = "2200C";
    /// <summary>Most specific type mismatch.</summary>
    public const string MostSpecificTypeMismatch = "2200G";
    /// <summary>Null value not allowed.</summary>
    public const string NullValueNotAllowed = "22004";
    /// <summary>Null value no indicator parameter.</summary>
    public const string NullValueNoIndicatorParameter = "22002";
    /// <summary>Numeric value out of range.</summary>
    public const string NumericValueOutOfRange = "22003";
    /// <summary>Sequence generator limit exceeded.</summary>
    public const string SequenceGeneratorLimitExceeded = "2200H";
    /// <summary>String data length mismatch.</summary>
    public const string StringDataLengthMismatch = "22026";
    /// <summary>String data right truncation.</summary>
    public const string StringDataRightTruncation = "22001";
    /// <summary>Substring error.</summary>
    public const string SubstringError = "22011";
    /// <summary>Trim error.</summary>
    public const string TrimError = "22027";
    /// <summary>Unterminated c string.</summary>
    public const string UnterminatedCString = "22024";
    /// <summary>Zero length character string.</summary>
    public const string ZeroLengthCharacterString = "2200F";
    /// <summary>Floating point exception.</summary>
    public const string FloatingPointException = "22P01";
    /// <summary>Invalid text representation.</summary>
    public const string InvalidTextRepresentation = "22P02";
    /// <summary>Invalid binary representation.</summary>
    public const string InvalidBinaryRepresentation = "22P03";
    /// <summary>Bad copy file format.</summary>
    public const string BadCopyFileFormat = "22P04";
    /// <summary>Untranslatable character.</summary>
    public const string UntranslatableCharacter = "22P05";
    /// <summary>Not an xml document.</summary>
    public const string NotAnXmlDocument = "2200L";
    /// <summary>Invalid xml document.</summary>
    public const string InvalidXmlDocument = "2200M";
    /// <summary>Invalid xml content.</summary>
    public const string InvalidXmlContent = "2200N";
    /// <summary>Invalid xml comment.</summary>
    public const string InvalidXmlComment = "2200S";
    /// <summary>Invalid xml processing instruction.</summary>
    public const string InvalidXmlProcessingInstruction = "2200T";
    /// <summary>Duplicate json object key value.</summary>
    public const string DuplicateJsonObjectKeyValue = "22030";
    /// <summary>Invalid argument for sql json datetime function.</summary>
    public const string InvalidArgumentForSqlJsonDatetimeFunction = "22031";
    /// <summary>Invalid json text.</summary>
    public const string InvalidJsonText = "22032";
    /// <summary>Invalid sql json subscript.</summary>
    public const string InvalidSqlJsonSubscript = "22033";
    /// <summary>More than one sql json item.</summary>
    public const string MoreThanOneSqlJsonItem = "22034";
    /// <summary>No sql json item.</summary>
    public const string NoSqlJsonItem = "22035";
    /// <summary>Non numeric sql json item.</summary>
    public const string NonNumericSqlJsonItem = "22036";
    /// <summary>Non unique keys in a json object.</summary>
    public const string NonUniqueKeysInAJsonObject = "22037";
    /// <summary>Singleton sql json item required.</summary>
    public const string SingletonSqlJsonItemRequired = "22038";
    /// <summary>Sql json array not found.</summary>
    public const string SqlJsonArrayNotFound = "22039";
    /// <summary>Sql json member not found.</summary>
    public const string SqlJsonMemberNotFound = "2203A";
    /// <summary>Sql json number not found.</summary>
    public const string SqlJsonNumberNotFound = "2203B";
    /// <summary>Sql json object not found.</summary>
    public const string SqlJsonObjectNotFound = "2203C";
    /// <summary>Too many json array elements.</summary>
    public const string TooManyJsonArrayElements = "2203D";
    /// <summary>Too many json object members.</summary>
    public const string TooManyJsonObjectMembers = "2203E";
    /// <summary>Sql json scalar required.</summary>
    public const string SqlJsonScalarRequired = "2203F";
    /// <summary>Sql json item cannot be cast to target type.</summary>
    public const string SqlJsonItemCannotBeCastToTargetType = "2203G";

    // Class 23 - Integrity Constraint Violation.
    /// <summary>Integrity constraint violation.</summary>
    public const string IntegrityConstraintViolation = "23000";
    /// <summary>Restrict violation.</summary>
    public const string RestrictViolation = "23001";
    /// <summary>Not null violation.</summary>
    public const string NotNullViolation = "23502";
    /// <summary>Foreign key violation.</summary>
    public const string ForeignKeyViolation = "23503";
    /// <summary>Unique violation.</summary>
    public const string UniqueViolation = "23505";
    /// <summary>Check violation.</summary>
    public const string CheckViolation = "23514";
    /// <summary>Exclusion violation.</summary>
    public const string ExclusionViolation = "23P01";

    // Class 24 - Invalid Cursor State.
    /// <summary>Invalid cursor state.</summary>
    public const string InvalidCursorState = "24000";

    // Class 25 - Invalid Transaction State.
    /// <summary>Invalid transaction state.</summary>
    public const string InvalidTransactionState = "25000";
    /// <summary>Active sql transaction.</summary>
    public const string ActiveSqlTransaction = "25001";
    /// <summary>Branch transaction already active.</summary>
    public const string BranchTransactionAlreadyActive = "25002";
    /// <summary>Held cursor requires same isolation level.</summary>
    public const string HeldCursorRequiresSameIsolationLevel = "25008";
    /// <summary>Inappropriate access mode for branch transaction.</summary>
    public const string InappropriateAccessModeForBranchTransaction = "25003";
    /// <summary>Inappropriate isolation level for branch transaction.</summary>
    public const string InappropriateIsolationLevelForBranchTransaction = "25004";
    /// <summary>No active sql transaction for branch transaction.</summary>
    public const string NoActiveSqlTransactionForBranchTransaction = "25005";
    /// <summary>Read only sql transaction.</summary>
    public const string ReadOnlySqlTransaction = "25006";
    /// <summary>Schema and data statement mixing not supported.</summary>
    public const string SchemaAndDataStatementMixingNotSupported = "25007";
    /// <summary>No active sql transaction.</summary>
    public const string NoActiveSqlTransaction = "25P01";
    /// <summary>In failed sql transaction.</summary>
    public const string InFailedSqlTransaction = "25P02";
    /// <summary>Idle in transaction session timeout.</summary>
    public const string IdleInTransactionSessionTimeout = "25P03";

    // Class 26 - Invalid SQL Statement Name.
    /// <summary>Invalid sql statement name.</summary>
    public const string InvalidSqlStatementName = "26000";

    // Class 27 - Triggered Data Change Violation.
    /// <summary>Triggered data change violation.</summary>
    public const string TriggeredDataChangeViolation = "27000";

    // Class 28 - Invalid Authorization Specification.
    /// <summary>Invalid authorization specification.</summary>
    public const string InvalidAuthorizationSpecification = "28000";
    /// <summary>Invalid password.</summary>
    public const string InvalidPassword = "28P01";

    // Class 2B - Dependent Privilege Descriptors Still Exist.
    /// <summary>Dependent privilege descriptors still exist.</summary>
    public const string DependentPrivilegeDescriptorsStillExist = "2B000";
    /// <summary>Dependent objects still exist.</summary>
    public const string DependentObjectsStillExist = "2BP01";

    // Class 2D - Invalid Transaction Termination.
    /// <summary>Invalid transaction termination.</summary>
    public const string InvalidTransactionTermination = "2D000";

    // Class 2F - SQL Routine Exception.
    /// <summary>Sql routine exception.</summary>
    public const string SqlRoutineException = "2F000";
    /// <summary>Sql routine function executed no return statement.</summary>
    public const string SqlRoutineFunctionExecutedNoReturnStatement = "2F005";
    /// <summary>Sql routine modifying sql data not permitted.</summary>
    public const string SqlRoutineModifyingSqlDataNotPermitted = "2F002";
    /// <summary>Sql routine prohibited sql statement attempted.</summary>
    public const string SqlRoutineProhibitedSqlStatementAttempted = "2F003";
    /// <summary>Sql routine reading sql data not permitted.</summary>
    public const string SqlRoutineReadingSqlDataNotPermitted = "2F004";

    // Class 34 - Invalid Cursor Name.
    /// <summary>Invalid cursor name.</summary>
    public const string InvalidCursorName = "34000";

    // Class 38 - External Routine Exception.
    /// <summary>External routine exception.</summary>
    public const string ExternalRoutineException = "38000";
    /// <summary>External routine containing sql not permitted.</summary>
    public const string ExternalRoutineContainingSqlNotPermitted = "38001";
    /// <summary>External routine modifying sql data not permitted.</summary>
    public const string ExternalRoutineModifyingSqlDataNotPermitted = "38002";
    /// <summary>External routine prohibited sql statement attempted.</summary>
    public const string ExternalRoutineProhibitedSqlStatementAttempted = "38003";
    /// <summary>External routine reading sql data not permitted.</summary>
    public const string ExternalRoutineReadingSqlDataNotPermitted = "38004";

    // Class 39 - External Routine Invocation Exception.
    /// <summary>External routine invocation exception.</summary>
    public const string ExternalRoutineInvocationException = "39000";
    /// <summary>External routine invocation invalid sqlstate returned.</summary>
    public const string ExternalRoutineInvocationInvalidSqlstateReturned = "39001";
    /// <summary>External routine invocation null value not allowed.</summary>
    public const string ExternalRoutineInvocationNullValueNotAllowed = "39004";
    /// <summary>External routine invocation trigger protocol violated.</summary>
    public const string ExternalRoutineInvocationTriggerProtocolViolated = "39P01";
    /// <summary>External routine invocation srf protocol violated.</summary>
    public const string ExternalRoutineInvocationSrfProtocolViolated = "39P02";
    /// <summary>External routine invocation event trigger protocol violated.</summary>
    public const string ExternalRoutineInvocationEventTriggerProtocolViolated = "39P03";

    // Class 3B - Savepoint Exception.
    /// <summary>Savepoint exception.</summary>
    public const string SavepointException = "3B000";
    /// <summary>Savepoint invalid specification.</summary>
    public const string SavepointInvalidSpecification = "3B001";

    // Class 3D - Invalid Catalog Name.
    /// <summary>Invalid catalog name.</summary>
    public const string InvalidCatalogName = "3D000";

    // Class 3F - Invalid Schema Name.
    /// <summary>Invalid schema name.</summary>
    public const string InvalidSchemaName = "3F000";

    // Class 40 - Transaction Rollback.
    /// <summary>Transaction rollback.</summary>
    public const string TransactionRollback = "40000";
    /// <summary>Transaction integrity constraint violation.</summary>
    public const string TransactionIntegrityConstraintViolation = "40002";
    /// <summary>Serialization failure.</summary>
    public const string SerializationFailure = "40001";
    /// <summary>Statement completion unknown.</summary>
    public const string StatementCompletionUnknown = "40003";
    /// <summary>Deadlock detected.</summary>
    public const string DeadlockDetected = "40P01";

    // Class 42 - Syntax Error or Access Rule Violation.
    /// <summary>Syntax error or access rule violation.</summary>
    public const string SyntaxErrorOrAccessRuleViolation = "42000";
    /// <summary>Syntax error.</summary>
    public const string SyntaxError = "42601";
    /// <summary>Insufficient privilege.</summary>
    public const string InsufficientPrivilege = "42501";
    /// <summary>Cannot coerce.</summary>
    public const string CannotCoerce = "42846";
    /// <summary>Grouping error.</summary>
    public const string GroupingError = "42803";
    /// <summary>Windowing error.</summary>
    public const string WindowingError = "42P20";
    /// <summary>Invalid recursion.</summary>
    public const string InvalidRecursion = "42P19";
    /// <summary>Invalid foreign key.</summary>
    public const string InvalidForeignKey = "42830";
    /// <summary>Invalid name.</summary>
    public const string InvalidName = "42602";
    /// <summary>Name too long.</summary>
    public const string NameTooLong = "42622";
    /// <summary>Reserved name.</summary>
    public const string ReservedName = "42939";
    /// <summary>Datatype mismatch.</summary>
    public const string DatatypeMismatch = "42804";
    /// <summary>Indeterminate datatype.</summary>
    public const string IndeterminateDatatype = "42P18";
    /// <summary>Collation mismatch.</summary>
    public const string CollationMismatch = "42P21";
    /// <summary>Indeterminate collation.</summary>
    public const string IndeterminateCollation = "42P22";
    /// <summary>Wrong object type.</summary>
    public const string WrongObjectType = "42809";
    /// <summary>Generated always.</summary>
    public const string GeneratedAlways = "428C9";
    /// <summary>Undefined column.</summary>
    public const string UndefinedColumn = "42703";
    /// <summary>Undefined function.</summary>
    public const string UndefinedFunction = "42883";
    /// <summary>Undefined table.</summary>
    public const string UndefinedTable = "42P01";
    /// <summary>Undefined parameter.</summary>
    public const string UndefinedParameter = "42P02";
    /// <summary>Undefined object.</summary>
    public const string UndefinedObject = "42704";
    /// <summary>Duplicate column.</summary>
    public const string DuplicateColumn = "42701";
    /// <summary>Duplicate cursor.</summary>
    public const string DuplicateCursor = "42P03";
    /// <summary>Duplicate database.</summary>
    public const string DuplicateDatabase = "42P04";
    /// <summary>Duplicate function.</summary>
    public const string DuplicateFunction = "42723";
    /// <summary>Duplicate prepared statement.</summary>
    public const string DuplicatePreparedStatement = "42P05";
    /// <summary>Duplicate schema.</summary>
    public const string DuplicateSchema = "42P06";
    /// <summary>Duplicate table.</summary>
    public const string DuplicateTable = "42P07";
    /// <summary>Duplicate alias.</summary>
    public const string DuplicateAlias = "42712";
    /// <summary>Duplicate object.</summary>
    public const string DuplicateObject = "42710";
    /// <summary>Ambiguous column.</summary>
    public const string AmbiguousColumn = "42702";
    /// <summary>Ambiguous function.</summary>
    public const string AmbiguousFunction = "42725";
    /// <summary>Ambiguous parameter.</summary>
    public const string AmbiguousParameter = "42P08";
    /// <summary>Ambiguous alias.</summary>
    public const string AmbiguousAlias = "42P09";
    /// <summary>Invalid column reference.</summary>
    public const string InvalidColumnReference = "42P10";
    /// <summary>Invalid column definition.</summary>
    public const string InvalidColumnDefinition = "42611";
    /// <summary>Invalid cursor definition.</summary>
    public const string InvalidCursorDefinition = "42P11";
    /// <summary>Invalid database definition.</summary>
    public const string InvalidDatabaseDefinition = "42P12";
    /// <summary>Invalid function definition.</summary>
    public const string InvalidFunctionDefinition = "42P13";
    /// <summary>Invalid prepared statement definition.</summary>
    public const string InvalidPreparedStatementDefinition = "42P14";
    /// <summary>Invalid schema definition.</summary>
    public const string InvalidSchemaDefinition = "42P15";
    /// <summary>Invalid table definition.</summary>
    public const string InvalidTableDefinition = "42P16";
    /// <summary>Invalid object definition.</summary>
    public const string InvalidObjectDefinition = "42P17";

    // Class 44 - WITH CHECK OPTION Violation.
    /// <summary>With check option violation.</summary>
    public const string WithCheckOptionViolation = "44000";

    // Class 53 - Insufficient Resources.
    /// <summary>Insufficient resources.</summary>
    public const string InsufficientResources = "53000";
    /// <summary>Disk full.</summary>
    public const string DiskFull = "53100";
    /// <summary>Out of memory.</summary>
    public const string OutOfMemory = "53200";
    /// <summary>Too many connections.</summary>
    public const string TooManyConnections = "53300";
    /// <summary>Configuration limit exceeded.</summary>
    public const string ConfigurationLimitExceeded = "53400";

    // Class 54 - Program Limit Exceeded.
    /// <summary>Program limit exceeded.</summary>
    public const string ProgramLimitExceeded = "54000";
    /// <summary>Statement too complex.</summary>
    public const string StatementTooComplex = "54001";
    /// <summary>Too many columns.</summary>
    public const string TooManyColumns = "54011";
    /// <summary>Too many arguments.</summary>
    public const string TooManyArguments = "54023";

    // Class 55 - Object Not In Prerequisite State.
    /// <summary>Object not in prerequisite state.</summary>
    public const string ObjectNotInPrerequisiteState = "55000";
    /// <summary>Object in use.</summary>
    public const string ObjectInUse = "55006";
    /// <summary>Cant change runtime param.</summary>
    public const string CantChangeRuntimeParam = "55P02";
    /// <summary>Lock not available.</summary>
    public const string LockNotAvailable = "55P03";
    /// <summary>Unsafe new enum value usage.</summary>
    public const string UnsafeNewEnumValueUsage = "55P04";

    // Class 57 - Operator Intervention.
    /// <summary>Operator intervention.</summary>
    public const string OperatorIntervention = "57000";
    /// <summary>Query canceled.</summary>
    public const string QueryCanceled = "57014";
    /// <summary>Admin shutdown.</summary>
    public const string AdminShutdown = "57P01";
    /// <summary>Crash shutdown.</summary>
    public const string CrashShutdown = "57P02";
    /// <summary>Cannot connect now.</summary>
    public const string CannotConnectNow = "57P03";
    /// <summary>Database dropped.</summary>
    public const string DatabaseDropped = "57P04";
    /// <summary>Idle session timeout.</summary>
    public const string IdleSessionTimeout = "57P05";

    // Class 58 - System Error (errors external to PostgreSQL itself).
    /// <summary>System error.</summary>
    public const string SystemError = "58000";
    /// <summary>Io error.</summary>
    public const string IoError = "58030";
    /// <summary>Undefined file.</summary>
    public const string UndefinedFile = "58P01";
    /// <summary>Duplicate file.</summary>
    public const string DuplicateFile = "58P02";

    // Class 72 - Snapshot Failure.
    /// <summary>Snapshot too old.</summary>
    public const string SnapshotTooOld = "72000";

    // Class F0 - Configuration File Error.
    /// <summary>Config file error.</summary>
    public const string ConfigFileError = "F0000";
    /// <summary>Lock file exists.</summary>
    public const string LockFileExists = "F0001";

    // Class HV - Foreign Data Wrapper Error (SQL/MED).
    /// <summary>Fdw error.</summary>
    public const string FdwError = "HV000";
    /// <summary>Fdw column name not found.</summary>
    public const string FdwColumnNameNotFound = "HV005";
    /// <summary>Fdw dynamic parameter value needed.</summary>
    public const string FdwDynamicParameterValueNeeded = "HV002";
    /// <summary>Fdw function sequence error.</summary>
    public const string FdwFunctionSequenceError = "HV010";
    /// <summary>Fdw inconsistent descriptor information.</summary>
    public const string FdwInconsistentDescriptorInformation = "HV021";
    /// <summary>Fdw invalid attribute value.</summary>
    public const string FdwInvalidAttributeValue = "HV024";
    /// <summary>Fdw invalid column name.</summary>
    public const string FdwInvalidColumnName = "HV007";
    /// <summary>Fdw invalid column number.</summary>
    public const string FdwInvalidColumnNumber = "HV008";
    /// <summary>Fdw invalid data type.</summary>
    public const string FdwInvalidDataType = "HV004";
    /// <summary>Fdw invalid data type descriptors.</summary>
    public const string FdwInvalidDataTypeDescriptors = "HV006";
    /// <summary>Fdw invalid descriptor field identifier.</summary>
    public const string FdwInvalidDescriptorFieldIdentifier = "HV091";
    /// <summary>Fdw invalid handle.</summary>
    public const string FdwInvalidHandle = "HV00B";
    /// <summary>Fdw invalid option index.</summary>
    public const string FdwInvalidOptionIndex = "HV00C";
    /// <summary>Fdw invalid option name.</summary>
    public const string FdwInvalidOptionName = "HV00D";
    /// <summary>Fdw invalid string length or buffer length.</summary>
    public const string FdwInvalidStringLengthOrBufferLength = "HV090";
    /// <summary>Fdw invalid string format.</summary>
    public const string FdwInvalidStringFormat = "HV00A";
    /// <summary>Fdw invalid use of null pointer.</summary>
    public const string FdwInvalidUseOfNullPointer = "HV009";
    /// <summary>Fdw too many handles.</summary>
    public const string FdwTooManyHandles = "HV014";
    /// <summary>Fdw out of memory.</summary>
    public const string FdwOutOfMemory = "HV001";
    /// <summary>Fdw no schemas.</summary>
    public const string FdwNoSchemas = "HV00P";
    /// <summary>Fdw option name not found.</summary>
    public const string FdwOptionNameNotFound = "HV00J";
    /// <summary>Fdw reply handle.</summary>
    public const string FdwReplyHandle = "HV00K";
    /// <summary>Fdw schema not found.</summary>
    public const string FdwSchemaNotFound = "HV00Q";
    /// <summary>Fdw table not found.</summary>
    public const string FdwTableNotFound = "HV00R";
    /// <summary>Fdw unable to create execution.</summary>
    public const string FdwUnableToCreateExecution = "HV00L";
    /// <summary>Fdw unable to create reply.</summary>
    public const string FdwUnableToCreateReply = "HV00M";
    /// <summary>Fdw unable to establish connection.</summary>
    public const string FdwUnableToEstablishConnection = "HV00N";

    // Class P0 - PL/pgSQL Error.
    /// <summary>Plpgsql error.</summary>
    public const string PlpgsqlError = "P0000";
    /// <summary>Raise exception.</summary>
    public const string RaiseException = "P0001";
    /// <summary>No data found.</summary>
    public const string NoDataFound = "P0002";
    /// <summary>Too many rows.</summary>
    public const string TooManyRows = "P0003";
    /// <summary>Assert failure.</summary>
    public const string AssertFailure = "P0004";

    // Class XX - Internal Error.
    /// <summary>Internal error.</summary>
    public const string InternalError = "XX000";
    /// <summary>Data corrupted.</summary>
    public const string DataCorrupted = "XX001";
    /// <summary>Index corrupted.</summary>
    public const string IndexCorrupted = "XX002";
}

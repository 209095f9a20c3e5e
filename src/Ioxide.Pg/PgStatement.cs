using System.Collections.Concurrent;
using System.Text;

namespace Ioxide.Pg;

/// <summary>SQL text that is parsed once per connection. Create it once and keep it in a static field.</summary>
/// <remarks>
/// <para>Parameters are <c>$1</c>, <c>$2</c> and so on. Threads: any; a statement holds no state of a connection.</para>
/// <para>If the text is built anew per request, use <see cref="PgStatementOptions.Unprepared"/> or the cache of
/// <see cref="PgDataSource.Statement"/>: otherwise each text takes the place of a prepared statement and is never used again.</para>
/// </remarks>
public class PgStatement
{
    /// <summary>The approximate size of a statement without its text, in bytes.</summary>
    internal const int FixedBytes = 256;

    // The most lists of types per text. Without this bound, values of varying types would add lists forever.
    private const int MaxVariants = 64;

    private const ulong NotHashed = ulong.MaxValue;

    private static long s_count;

    private ConcurrentDictionary<ulong, PgStatement>? _variants;
    private PgStatement? _forObjects;
    private ulong _template = NotHashed;

    private protected PgStatement(byte[] sql, PgStatementOptions options, int parameterCount)
    {
        if (sql.AsSpan().Contains((byte)0))
        {
            throw new ArgumentException("SQL text cannot hold a zero byte.", nameof(sql));
        }

        Sql = sql;
        Options = options;
        ParameterCount = parameterCount;
        FirstWord = SqlLexer.FirstWordOf(sql);
        Number = Interlocked.Increment(ref s_count);
        IsRecurring = parameterCount >= 0;
        Effect = SessionScan.Of(sql);
        if ((options & PgStatementOptions.KeepsSession) != 0)
        {
            Effect &= ~(SessionEffect.Touches | SessionEffect.Changes);
        }
    }

    /// <summary>The promises of the statement.</summary>
    public PgStatementOptions Options { get; }

    internal byte[] Sql { get; }

    /// <summary>The number of parameters, or -1 where each use brings its own list.</summary>
    internal int ParameterCount { get; }

    /// <summary>Unique in the process, also among statements that were collected.</summary>
    internal long Number { get; }

    /// <summary>It begins a transaction, which needs a connection of its own.</summary>
    internal bool OpensTransaction => FirstWord is "BEGIN" or "START";

    /// <summary>It never returns rows, and is run without Describe.</summary>
    internal bool ReturnsNothing => FirstWord is "BEGIN" or "START" or "COMMIT" or "END" or "ROLLBACK" or "ABORT" or "SAVEPOINT" or "RELEASE";

    /// <summary>A failure undoes all of it, even outside a transaction. CALL, VACUUM and others commit in the middle.</summary>
    internal bool IsUndoneByItsError
        => FirstWord is "SELECT" or "INSERT" or "UPDATE" or "DELETE" or "MERGE" or "WITH" or "VALUES" or "TABLE" or "SHOW";

    /// <summary>SELECT, INSERT and so on, in capitals.</summary>
    internal string FirstWord { get; }

    /// <summary>Its <see cref="SqlTemplate"/>; a long text has none, whose hash would hold up the reactor. Threads: any; two may hash it.</summary>
    internal ulong Template
    {
        get
        {
            if (_template == NotHashed)
            {
                bool mayHaveOne = IsUndoneByItsError && FirstWord is not ("SHOW" or "TABLE") && Sql.Length <= SqlTemplate.MaxTextBytes;
                _template = mayHaveOne ? SqlTemplate.Of(Sql, HasBinaryRecords) : SqlTemplate.None;
            }

            return _template;
        }
    }

    /// <summary>The number of lists of types that are kept for it.</summary>
    internal int VariantCount => _variants?.Count ?? 0;

    /// <summary>It may change the result columns of other statements.</summary>
    internal bool AltersTables => FirstWord is "ALTER";

    /// <summary>The effect that it may have on its session.</summary>
    internal SessionEffect Effect { get; }

    /// <summary>
    /// Its last run took so long that others should not queue behind it. Threads: any; a reactor that reads an old value only routes one command
    /// less well.
    /// </summary>
    internal bool IsSlow { get; set; }

    /// <summary>Its records arrive in binary, which the ADO.NET facade reads as objects; elsewhere they are text.</summary>
    internal bool HasBinaryRecords { get; private init; }

    internal bool IsPrepared => (Options & PgStatementOptions.Unprepared) == 0;

    /// <summary>
    /// It is used more than once: the application keeps it as an object, has prepared it, or sends its text again. Others are not worth a name on
    /// the server. Threads: any; who sees it late parses the text once more.
    /// </summary>
    internal bool IsRecurring { get; set; }

    /// <summary>Creates a statement without parameters.</summary>
    /// <param name="sql">One statement in UTF-8; the bytes are copied.</param>
    /// <param name="options">The promises of the statement.</param>
    public static PgStatement Create(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options, 0);

    /// <summary>Creates a statement with one parameter.</summary>
    public static PgStatement<T1> Create<T1>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>Creates a statement with two parameters.</summary>
    public static PgStatement<T1, T2> Create<T1, T2>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>Creates a statement with three parameters.</summary>
    public static PgStatement<T1, T2, T3> Create<T1, T2, T3>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>Creates a statement with four parameters.</summary>
    public static PgStatement<T1, T2, T3, T4> Create<T1, T2, T3, T4>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>Creates a statement with five parameters.</summary>
    public static PgStatement<T1, T2, T3, T4, T5> Create<T1, T2, T3, T4, T5>(
        ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>Creates a statement with six parameters.</summary>
    public static PgStatement<T1, T2, T3, T4, T5, T6> Create<T1, T2, T3, T4, T5, T6>(
        ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>Returns the SQL text.</summary>
    public override string ToString() => Encoding.UTF8.GetString(Sql);

    /// <summary>Creates a statement whose queries bring their own lists. A text too long for the cache is not prepared either.</summary>
    internal static PgStatement CreateDynamic(string sql)
    {
        byte[] utf8 = WireText.Encoding.GetBytes(sql);
        bool isKept = ByteCount(sql, utf8) <= TextCacheLimits.MaxTextBytes;
        return new PgStatement(utf8, isKept ? PgStatementOptions.None : PgStatementOptions.Unprepared, -1);
    }

    /// <summary>The approximate size with its text, in bytes.</summary>
    internal int ByteCount(string sql) => ByteCount(sql, Sql);

    private static int ByteCount(string sql, byte[] utf8) => FixedBytes + (sql.Length * sizeof(char)) + utf8.Length;

    /// <summary>The same text with other parameter types: a <see cref="DateTime"/> is one of two types by its kind.</summary>
    /// <param name="typeKey">A number that identifies the types; 0 stands for the usual ones.</param>
    internal PgStatement ForTypes(ulong typeKey)
    {
        if (typeKey == 0)
        {
            return this;
        }

        ConcurrentDictionary<ulong, PgStatement> variants =
            _variants ?? Interlocked.CompareExchange(ref _variants, new ConcurrentDictionary<ulong, PgStatement>(), null) ?? _variants;
        if (variants.TryGetValue(typeKey, out PgStatement? found))
        {
            return found;
        }

        if (variants.Count >= MaxVariants)
        {
            variants.Clear();
        }

        return variants.GetOrAdd(
            typeKey, static (_, statement) => statement.Copy(statement.HasBinaryRecords), this);
    }

    /// <summary>The same text for the ADO.NET facade, which reads records as objects.</summary>
    internal PgStatement ForObjects()
        => _forObjects ?? Interlocked.CompareExchange(ref _forObjects, Copy(hasBinaryRecords: true), null) ?? _forObjects;

    private PgStatement Copy(bool hasBinaryRecords) => new(Sql, Options, ParameterCount) { HasBinaryRecords = hasBinaryRecords };
}

/// <summary>A statement with one parameter.</summary>
public sealed class PgStatement<T1> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options) : base(sql, options, 1) { }
}

/// <summary>A statement with two parameters.</summary>
public sealed class PgStatement<T1, T2> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options) : base(sql, options, 2) { }
}

/// <summary>A statement with three parameters.</summary>
public sealed class PgStatement<T1, T2, T3> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options) : base(sql, options, 3) { }
}

/// <summary>A statement with four parameters.</summary>
public sealed class PgStatement<T1, T2, T3, T4> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options) : base(sql, options, 4) { }
}

/// <summary>A statement with five parameters.</summary>
public sealed class PgStatement<T1, T2, T3, T4, T5> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options) : base(sql, options, 5) { }
}

/// <summary>A statement with six parameters.</summary>
public sealed class PgStatement<T1, T2, T3, T4, T5, T6> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options) : base(sql, options, 6) { }
}

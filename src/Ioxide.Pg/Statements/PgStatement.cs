using System.Collections.Concurrent;
using System.Text;

namespace Ioxide.Pg;

/// <summary>SQL text that is parsed once on each connection that runs it. Made once, kept in a static field.</summary>
/// <remarks>
/// <para>Parameters are <c>$1</c>, <c>$2</c> and so on. Threads: any; a statement holds no state of a connection.</para>
/// <para>One that is made anew for each request belongs to <see cref="PgStatementOptions.Unprepared"/>, or into the cache behind
/// <see cref="PgDataSource.Statement"/>: otherwise it takes a place among the prepared ones and is never used again.</para>
/// </remarks>
public class PgStatement
{
    /// <summary>About how many bytes one takes besides its text.</summary>
    internal const int FixedBytes = 256;

    // What one text may be used with; lists of types without end are those of values that happen to differ.
    private const int MaxVariants = 64;

    private static long s_count;

    private ConcurrentDictionary<ulong, PgStatement>? _variants;

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
        Effect = SessionScan.Of(sql);
        if ((options & PgStatementOptions.KeepsSession) != 0)
        {
            Effect &= ~(SessionEffect.Touches | SessionEffect.Changes);
        }
    }

    /// <summary>What it promises.</summary>
    public PgStatementOptions Options { get; }

    internal byte[] Sql { get; }

    /// <summary>The number of parameters, or -1 where each use brings its own list.</summary>
    internal int ParameterCount { get; }

    /// <summary>Tells it from every other statement of the process, also from those that are gone.</summary>
    internal long Number { get; }

    /// <summary>It begins a transaction, which needs a connection of its own.</summary>
    internal bool OpensTransaction => FirstWord is "BEGIN" or "START";

    /// <summary>It never returns rows: nothing has to be described before it is run.</summary>
    internal bool ReturnsNothing => FirstWord is "BEGIN" or "START" or "COMMIT" or "END" or "ROLLBACK" or "ABORT" or "SAVEPOINT" or "RELEASE";

    /// <summary>Its failure undoes it as a whole, outside a transaction too. CALL, VACUUM and others commit in between.</summary>
    internal bool IsUndoneByItsError => FirstWord is "SELECT" or "INSERT" or "UPDATE" or "DELETE" or "MERGE" or "WITH" or "VALUES" or "TABLE" or "SHOW";

    /// <summary>SELECT, INSERT and so on, in capitals.</summary>
    internal string FirstWord { get; }

    /// <summary>Lists of types that it was used with and that are kept.</summary>
    internal int VariantCount => _variants?.Count ?? 0;

    /// <summary>What other statements return may be something else behind it.</summary>
    internal bool AltersTables => FirstWord is "ALTER";

    /// <summary>What it may do to the session that runs it.</summary>
    internal SessionEffect Effect { get; }

    /// <summary>
    /// Its last run took so long that others should not stand behind it. Threads: any; a reactor that reads an old value routes one command
    /// less well.
    /// </summary>
    internal bool IsSlow { get; set; }

    internal bool IsPrepared => (Options & PgStatementOptions.Unprepared) == 0;

    /// <summary>A statement without parameters.</summary>
    /// <param name="sql">One statement in UTF-8; copied.</param>
    /// <param name="options">What it promises.</param>
    public static PgStatement Create(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options, 0);

    /// <summary>A statement with one parameter.</summary>
    public static PgStatement<T1> Create<T1>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with two parameters.</summary>
    public static PgStatement<T1, T2> Create<T1, T2>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with three parameters.</summary>
    public static PgStatement<T1, T2, T3> Create<T1, T2, T3>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with four parameters.</summary>
    public static PgStatement<T1, T2, T3, T4> Create<T1, T2, T3, T4>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with five parameters.</summary>
    public static PgStatement<T1, T2, T3, T4, T5> Create<T1, T2, T3, T4, T5>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with six parameters.</summary>
    public static PgStatement<T1, T2, T3, T4, T5, T6> Create<T1, T2, T3, T4, T5, T6>(ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>The SQL text.</summary>
    public override string ToString() => Encoding.UTF8.GetString(Sql);

    /// <summary>A statement whose uses bring their own lists. One that is too long to be kept is not prepared either.</summary>
    internal static PgStatement CreateDynamic(string sql)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(sql);
        bool isKept = ByteCount(sql, utf8) <= TextCacheLimits.MaxTextBytes;
        return new PgStatement(utf8, isKept ? PgStatementOptions.None : PgStatementOptions.Unprepared, -1);
    }

    /// <summary>About how many bytes it takes together with its text.</summary>
    internal int ByteCount(string sql) => ByteCount(sql, Sql);

    private static int ByteCount(string sql, byte[] utf8) => FixedBytes + (sql.Length * sizeof(char)) + utf8.Length;

    /// <summary>The same text with other parameter types: a <see cref="DateTime"/> is one of two types by its kind.</summary>
    /// <param name="typeKey">A number that tells the types apart; 0 is the usual ones.</param>
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
            typeKey, static (_, statement) => new PgStatement(statement.Sql, statement.Options, statement.ParameterCount), this);
    }
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

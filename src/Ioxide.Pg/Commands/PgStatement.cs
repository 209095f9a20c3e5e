using System.Collections.Concurrent;
using System.Text;

namespace Ioxide.Pg;

/// <summary>What a statement promises.</summary>
[Flags]
public enum PgStatementOptions
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>It is sent unnamed each time and never kept prepared, for text that is made anew for each use.</summary>
    Unprepared = 1,

    /// <summary>
    /// It leaves its session as it was, whatever functions it calls: no setting, no lock, no temporary table is left. Without this promise a
    /// statement that calls a function which is not PostgreSQL's own costs a reset of its session, about 30 microseconds of the server.
    /// </summary>
    KeepsSession = 2,
}

/// <summary>SQL text that is parsed once on each connection that runs it. Made once, kept in a static field.</summary>
/// <remarks>
/// <para>Parameters are <c>$1</c>, <c>$2</c> and so on. Threads: any; a statement holds no state of a connection.</para>
/// <para>Each object takes a number for good; one that is made anew for each request belongs to
/// <see cref="PgStatementOptions.Unprepared"/>, or into the cache behind <see cref="PgDataSource.Statement"/>.</para>
/// </remarks>
public class PgStatement
{
    private static int s_slots;

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
        Effect = SessionScan.Of(sql);
        if ((options & PgStatementOptions.KeepsSession) != 0)
        {
            Effect &= ~(SessionEffect.Touches | SessionEffect.Changes);
        }

        Slot = Interlocked.Increment(ref s_slots) - 1;
    }

    /// <summary>What it promises.</summary>
    public PgStatementOptions Options { get; }

    internal byte[] Sql { get; }

    /// <summary>The number of parameters, or -1 where each use brings its own list.</summary>
    internal int ParameterCount { get; }

    /// <summary>Its place in each connection's table of prepared statements.</summary>
    internal int Slot { get; }

    /// <summary>It begins a transaction, which needs a connection of its own.</summary>
    internal bool OpensTransaction => FirstWord is "BEGIN" or "START";

    /// <summary>It never returns rows: nothing has to be described before it is run.</summary>
    internal bool ReturnsNothing => FirstWord is "BEGIN" or "START" or "COMMIT" or "END" or "ROLLBACK" or "ABORT" or "SAVEPOINT" or "RELEASE";

    /// <summary>SELECT, INSERT and so on, in capitals.</summary>
    internal string FirstWord { get; }

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
    public static PgStatement<T1, T2, T3> Create<T1, T2, T3>(
        ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with four parameters.</summary>
    public static PgStatement<T1, T2, T3, T4> Create<T1, T2, T3, T4>(
        ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with five parameters.</summary>
    public static PgStatement<T1, T2, T3, T4, T5> Create<T1, T2, T3, T4, T5>(
        ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>A statement with six parameters.</summary>
    public static PgStatement<T1, T2, T3, T4, T5, T6> Create<T1, T2, T3, T4, T5, T6>(
        ReadOnlySpan<byte> sql, PgStatementOptions options = PgStatementOptions.None)
        => new(sql.ToArray(), options);

    /// <summary>The SQL text.</summary>
    public override string ToString() => Encoding.UTF8.GetString(Sql);

    internal static PgStatement CreateDynamic(byte[] sql, PgStatementOptions options) => new(sql, options, -1);

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
        return variants.GetOrAdd(
            typeKey, static (_, statement) => new PgStatement(statement.Sql, statement.Options, statement.ParameterCount), this);
    }
}

/// <summary>A statement with one parameter.</summary>
public sealed class PgStatement<T1> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options)
        : base(sql, options, 1)
    {
    }
}

/// <summary>A statement with two parameters.</summary>
public sealed class PgStatement<T1, T2> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options)
        : base(sql, options, 2)
    {
    }
}

/// <summary>A statement with three parameters.</summary>
public sealed class PgStatement<T1, T2, T3> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options)
        : base(sql, options, 3)
    {
    }
}

/// <summary>A statement with four parameters.</summary>
public sealed class PgStatement<T1, T2, T3, T4> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options)
        : base(sql, options, 4)
    {
    }
}

/// <summary>A statement with five parameters.</summary>
public sealed class PgStatement<T1, T2, T3, T4, T5> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options)
        : base(sql, options, 5)
    {
    }
}

/// <summary>A statement with six parameters.</summary>
public sealed class PgStatement<T1, T2, T3, T4, T5, T6> : PgStatement
{
    internal PgStatement(byte[] sql, PgStatementOptions options)
        : base(sql, options, 6)
    {
    }
}

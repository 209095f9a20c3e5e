namespace Ioxide.Pg;

/// <summary>What runs statements: a data source, on connections that its callers share, or a session, on its own.</summary>
/// <remarks>Threads: any; a session's commands one after another.</remarks>
public abstract class PgExecutor
{
    private protected PgExecutor()
    {
    }

    /// <summary>Where the next command goes.</summary>
    private protected abstract CommandTarget NextTarget { get; }

    /// <summary>A use of a statement without parameters. Nothing is sent before one of its methods is called.</summary>
    public PgQuery<PgNoParameters> Query(PgStatement statement) => Query(statement, default(PgNoParameters));

    /// <summary>A use of a statement with a list of values of any types.</summary>
    public PgQuery<PgParameterList> Query(PgStatement statement, PgParameterList values) => Query<PgParameterList>(statement, values);

    /// <summary>A use of a statement with one value.</summary>
    public PgQuery<PgParameters<PgNoParameters, T1>> Query<T1>(PgStatement<T1> statement, T1 value1)
        => Query(statement, default(PgNoParameters).And(value1));

    /// <summary>A use of a statement with two values.</summary>
    public PgQuery<PgParameters<PgParameters<PgNoParameters, T1>, T2>> Query<T1, T2>(PgStatement<T1, T2> statement, T1 value1, T2 value2)
        => Query(statement, default(PgNoParameters).And(value1).And(value2));

    /// <summary>A use of a statement with three values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>> Query<T1, T2, T3>(
        PgStatement<T1, T2, T3> statement, T1 value1, T2 value2, T3 value3)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3));

    /// <summary>A use of a statement with four values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>, T4>> Query<T1, T2, T3, T4>(
        PgStatement<T1, T2, T3, T4> statement, T1 value1, T2 value2, T3 value3, T4 value4)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3).And(value4));

    /// <summary>A use of a statement with five values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>, T4>, T5>> Query<T1, T2, T3, T4, T5>(
        PgStatement<T1, T2, T3, T4, T5> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3).And(value4).And(value5));

    /// <summary>A use of a statement with six values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>, T4>, T5>, T6>>
        Query<T1, T2, T3, T4, T5, T6>(
        PgStatement<T1, T2, T3, T4, T5, T6> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5, T6 value6)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3).And(value4).And(value5).And(value6));

    /// <summary>Commands to be sent in one go. Those of a data source belong to the calling reactor, or to one in turn.</summary>
    public PgBatch CreateBatch() => new(NextTarget);

    private PgQuery<TParameters> Query<TParameters>(PgStatement statement, in TParameters parameters)
        where TParameters : struct, IPgParameters
        => new(NextTarget, statement, parameters);
}

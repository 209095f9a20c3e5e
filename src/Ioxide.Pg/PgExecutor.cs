namespace Ioxide.Pg;

/// <summary>Runs statements: a data source on shared connections, or a session on its own.</summary>
/// <remarks>Threads: any; a session's commands one after another.</remarks>
public abstract class PgExecutor
{
    private protected PgExecutor()
    {
    }

    /// <summary>The target of the next command.</summary>
    private protected abstract CommandTarget NextTarget { get; }

    /// <summary>Makes a query without parameters. Nothing is sent until one of its methods is called.</summary>
    public PgQuery<PgNoParameters> Query(PgStatement statement) => Query(statement, default(PgNoParameters));

    /// <summary>Makes a query with a list of values of any types.</summary>
    public PgQuery<PgParameterList> Query(PgStatement statement, PgParameterList values) => Query<PgParameterList>(statement, values);

    /// <summary>Makes a query with one value.</summary>
    public PgQuery<PgParameters<PgNoParameters, T1>> Query<T1>(PgStatement<T1> statement, T1 value1)
        => Query(statement, default(PgNoParameters).And(value1));

    /// <summary>Makes a query with two values.</summary>
    public PgQuery<PgParameters<PgParameters<PgNoParameters, T1>, T2>> Query<T1, T2>(PgStatement<T1, T2> statement, T1 value1, T2 value2)
        => Query(statement, default(PgNoParameters).And(value1).And(value2));

    /// <summary>Makes a query with three values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>> Query<T1, T2, T3>(
        PgStatement<T1, T2, T3> statement, T1 value1, T2 value2, T3 value3)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3));

    /// <summary>Makes a query with four values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>, T4>> Query<T1, T2, T3, T4>(
        PgStatement<T1, T2, T3, T4> statement, T1 value1, T2 value2, T3 value3, T4 value4)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3).And(value4));

    /// <summary>Makes a query with five values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>, T4>, T5>>
        Query<T1, T2, T3, T4, T5>(
        PgStatement<T1, T2, T3, T4, T5> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3).And(value4).And(value5));

    /// <summary>Makes a query with six values.</summary>
    public PgQuery<PgParameters<PgParameters<PgParameters<PgParameters<PgParameters<PgParameters<PgNoParameters, T1>, T2>, T3>, T4>, T5>, T6>>
        Query<T1, T2, T3, T4, T5, T6>(
        PgStatement<T1, T2, T3, T4, T5, T6> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5, T6 value6)
        => Query(statement, default(PgNoParameters).And(value1).And(value2).And(value3).And(value4).And(value5).And(value6));

    /// <summary>Creates a batch of commands that are sent together. A data source's batch runs on the calling reactor, or on one in turn.</summary>
    public PgBatch CreateBatch() => new(NextTarget);

    private PgQuery<TParameters> Query<TParameters>(PgStatement statement, in TParameters parameters)
        where TParameters : struct, IPgParameters
        => new(NextTarget, statement, parameters);
}

namespace Ioxide.Pg;

/// <summary>Commands on the shared lane: short ones of all callers, pipelined on a few connections.</summary>
public sealed partial class PgDataSource
{
    /// <summary>A use of a statement without parameters. Nothing is sent before one of its methods is called.</summary>
    public PgQuery<PgNoParameters> Query(PgStatement statement) => new(CurrentPool(), statement, default);

    /// <summary>A use of a statement with one value.</summary>
    public PgQuery<PgParameters<T1>> Query<T1>(PgStatement<T1> statement, T1 value1)
        => new(CurrentPool(), statement, new(value1));

    /// <summary>A use of a statement with two values.</summary>
    public PgQuery<PgParameters<T1, T2>> Query<T1, T2>(PgStatement<T1, T2> statement, T1 value1, T2 value2)
        => new(CurrentPool(), statement, new(value1, value2));

    /// <summary>A use of a statement with three values.</summary>
    public PgQuery<PgParameters<T1, T2, T3>> Query<T1, T2, T3>(PgStatement<T1, T2, T3> statement, T1 value1, T2 value2, T3 value3)
        => new(CurrentPool(), statement, new(value1, value2, value3));

    /// <summary>A use of a statement with four values.</summary>
    public PgQuery<PgParameters<T1, T2, T3, T4>> Query<T1, T2, T3, T4>(
        PgStatement<T1, T2, T3, T4> statement, T1 value1, T2 value2, T3 value3, T4 value4)
        => new(CurrentPool(), statement, new(value1, value2, value3, value4));

    /// <summary>A use of a statement with five values.</summary>
    public PgQuery<PgParameters<T1, T2, T3, T4, T5>> Query<T1, T2, T3, T4, T5>(
        PgStatement<T1, T2, T3, T4, T5> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5)
        => new(CurrentPool(), statement, new(value1, value2, value3, value4, value5));

    /// <summary>A use of a statement with six values.</summary>
    public PgQuery<PgParameters<T1, T2, T3, T4, T5, T6>> Query<T1, T2, T3, T4, T5, T6>(
        PgStatement<T1, T2, T3, T4, T5, T6> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5, T6 value6)
        => new(CurrentPool(), statement, new(value1, value2, value3, value4, value5, value6));

    /// <summary>A use of a statement with a list of values of any types.</summary>
    public PgQuery<PgParameterList> Query(PgStatement statement, PgParameterList values) => new(CurrentPool(), statement, values);

    /// <summary>Commands to be sent in one go. It belongs to the reactor that it was made on, or to one in turn.</summary>
    public PgBatch CreateBatch() => new(CurrentPool());
}

namespace Ioxide.Pg;

/// <summary>Commands of the session.</summary>
public sealed partial class PgSession
{
    /// <summary>A use of a statement without parameters. Nothing is sent before one of its methods is called.</summary>
    public PgQuery<PgNoParameters> Query(PgStatement statement) => new(_target, statement, default);

    /// <summary>A use of a statement with one value.</summary>
    public PgQuery<PgParameters<T1>> Query<T1>(PgStatement<T1> statement, T1 value1)
        => new(_target, statement, new(value1));

    /// <summary>A use of a statement with two values.</summary>
    public PgQuery<PgParameters<T1, T2>> Query<T1, T2>(PgStatement<T1, T2> statement, T1 value1, T2 value2)
        => new(_target, statement, new(value1, value2));

    /// <summary>A use of a statement with three values.</summary>
    public PgQuery<PgParameters<T1, T2, T3>> Query<T1, T2, T3>(PgStatement<T1, T2, T3> statement, T1 value1, T2 value2, T3 value3)
        => new(_target, statement, new(value1, value2, value3));

    /// <summary>A use of a statement with four values.</summary>
    public PgQuery<PgParameters<T1, T2, T3, T4>> Query<T1, T2, T3, T4>(
        PgStatement<T1, T2, T3, T4> statement, T1 value1, T2 value2, T3 value3, T4 value4)
        => new(_target, statement, new(value1, value2, value3, value4));

    /// <summary>A use of a statement with five values.</summary>
    public PgQuery<PgParameters<T1, T2, T3, T4, T5>> Query<T1, T2, T3, T4, T5>(
        PgStatement<T1, T2, T3, T4, T5> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5)
        => new(_target, statement, new(value1, value2, value3, value4, value5));

    /// <summary>A use of a statement with six values.</summary>
    public PgQuery<PgParameters<T1, T2, T3, T4, T5, T6>> Query<T1, T2, T3, T4, T5, T6>(
        PgStatement<T1, T2, T3, T4, T5, T6> statement, T1 value1, T2 value2, T3 value3, T4 value4, T5 value5, T6 value6)
        => new(_target, statement, new(value1, value2, value3, value4, value5, value6));

    /// <summary>A use of a statement with a list of values of any types.</summary>
    public PgQuery<PgParameterList> Query(PgStatement statement, PgParameterList values) => new(_target, statement, values);

    /// <summary>Commands to be sent in one go.</summary>
    public PgBatch CreateBatch() => new(_target);
}

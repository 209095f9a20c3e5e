using Ioxide.PgBench.Turns;

namespace Ioxide.PgBench.Comparing;

/// <summary>A side that is asked turn by turn.</summary>
internal interface ITurnTaker
{
    string Name { get; }

    /// <exception cref="WrongAnswerException">An answer was wrong, or the side ended.</exception>
    Task<TurnResult> TakeTurnAsync();
}

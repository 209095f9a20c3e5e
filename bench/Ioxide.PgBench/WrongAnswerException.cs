namespace Ioxide.PgBench;

/// <summary>A side got something else than the tables hold. Its numbers are worth nothing.</summary>
internal sealed class WrongAnswerException(string message) : Exception(message)
{
    /// <exception cref="WrongAnswerException">The two differ.</exception>
    internal static void ThrowUnless(long expected, long got, string what)
    {
        if (expected != got)
        {
            throw new WrongAnswerException($"{what}: expected {expected}, got {got}.");
        }
    }
}

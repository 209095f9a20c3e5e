namespace Ioxide.TestKit;

/// <summary>Cases of one test that wait for the clock, and not for each other.</summary>
internal static class AtOnce
{
    /// <summary>Runs the test with all cases beside each other.</summary>
    /// <exception cref="AggregateException">Names each case that failed, and says with what.</exception>
    internal static async Task RunAsync<T>(Func<T, Task> test, params T[] cases)
    {
        Exception[] failures = [.. (await Task.WhenAll(cases.Select(TryAsync))).OfType<Exception>()];
        if (failures.Length > 0)
        {
            throw new AggregateException($"{failures.Length} of {cases.Length} cases failed.", failures);
        }

        async Task<Exception?> TryAsync(T one)
        {
            try
            {
                await test(one);
                return null;
            }
            catch (Exception exception)
            {
                return new InvalidOperationException($"{one}: {exception.Message}", exception);
            }
        }
    }
}

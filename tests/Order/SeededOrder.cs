using System.Globalization;
using Ioxide.TestOrder;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

[assembly: TestCollectionOrderer(typeof(SeededOrder))]
[assembly: TestCaseOrderer(typeof(SeededOrder))]

namespace Ioxide.TestOrder;

/// <summary>The order that the seed in IOXIDE_TEST_ORDER gives: of the classes, and of the tests of each. Without it xunit orders them.</summary>
/// <remarks>
/// The runner has a seed of its own, <c>:3</c>, which orders nothing: classes come in another order each time, their tests always
/// in the same.
/// </remarks>
internal sealed class SeededOrder : ITestCollectionOrderer, ITestCaseOrderer
{
    private static readonly int? s_seed = Environment.GetEnvironmentVariable("IOXIDE_TEST_ORDER") is { Length: > 0 } seed
        ? int.Parse(seed, CultureInfo.InvariantCulture)
        : null;

    public IReadOnlyCollection<TTestCollection> OrderTestCollections<TTestCollection>(IReadOnlyCollection<TTestCollection> testCollections)
        where TTestCollection : ITestCollection
        => s_seed is { } seed
            ? Shuffle(testCollections, seed, Name)
            : DefaultTestCollectionOrderer.Instance.OrderTestCollections(testCollections);

    public IReadOnlyCollection<TTestCase> OrderTestCases<TTestCase>(IReadOnlyCollection<TTestCase> testCases)
        where TTestCase : notnull, ITestCase
        => s_seed is { } seed
            ? Shuffle(testCases, seed, testCase => testCase.TestCaseDisplayName)
            : DefaultTestCaseOrderer.Instance.OrderTestCases(testCases);

    /// <summary>The collection of a class that names none has a number behind its name, which differs from run to run.</summary>
    private static string Name<TTestCollection>(TTestCollection collection)
        where TTestCollection : ITestCollection => collection.TestCollectionDisplayName.Split(" (id: ")[0];

    // What is shuffled must begin in the same order each time.
    private static T[] Shuffle<T>(IReadOnlyCollection<T> items, int seed, Func<T, string> name)
    {
        T[] ordered = [.. items.OrderBy(name, StringComparer.Ordinal)];
        new Random(seed).Shuffle(ordered);
        return ordered;
    }
}

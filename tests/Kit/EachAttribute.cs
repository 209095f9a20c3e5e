using System.Reflection;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

namespace Ioxide.TestKit;

/// <summary>Makes the rows of a theory with one parameter: one of each value.</summary>
/// <param name="values">What the parameter is, in turn.</param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class EachAttribute(params object?[] values) : DataAttribute
{
    /// <summary>What the parameter is, in turn.</summary>
    public IReadOnlyList<object?> Values => values;

    /// <inheritdoc />
    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(MethodInfo testMethod, DisposalTracker disposalTracker)
        => new([.. values.Select(static value => new TheoryDataRow(value))]);

    /// <inheritdoc />
    public override bool SupportsDiscoveryEnumeration() => true;
}

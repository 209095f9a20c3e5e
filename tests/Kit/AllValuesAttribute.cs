using System.Reflection;
using System.Security.Authentication;
using Xunit;
using Xunit.Sdk;
using Xunit.v3;

namespace Ioxide.TestKit;

/// <summary>
/// Makes the rows of a theory: each combination of what its parameters can be. That is both values of a <c>bool</c>, TLS 1.2 and 1.3
/// of <see cref="SslProtocols"/>, and each member of another enum.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class AllValuesAttribute : DataAttribute
{
    /// <inheritdoc />
    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(MethodInfo testMethod, DisposalTracker disposalTracker)
    {
        IEnumerable<object[]> rows = [[]];
        foreach (ParameterInfo parameter in testMethod.GetParameters())
        {
            object[] values = ValuesOf(parameter.ParameterType);
            rows = [.. rows.SelectMany(row => values.Select(value => (object[])[.. row, value]))];
        }

        return new([.. rows.Select(static row => new TheoryDataRow(row))]);
    }

    /// <inheritdoc />
    public override bool SupportsDiscoveryEnumeration() => true;

    private static object[] ValuesOf(Type type)
        => type == typeof(bool) ? [false, true]
            : type == typeof(SslProtocols) ? [SslProtocols.Tls12, SslProtocols.Tls13]
            : [.. Enum.GetValues(type).Cast<object>()];
}

using System.Reflection;
using Xunit.Sdk;
using Xunit.v3;

namespace Ioxide.AspNetCore.Tests;

/// <summary>
/// Makes the rows of a parity theory: each transport, times each endpoint where the test takes one, times each
/// value in <see cref="Values"/> where it takes a third parameter.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class OverTransportsAttribute(params object[] values) : DataAttribute
{
    /// <summary>What the parameter that is neither transport nor endpoint takes, one value a row.</summary>
    public IReadOnlyList<object> Values { get; } = values;

    /// <summary>Leaves out unix sockets, for what only TCP can do (a reset).</summary>
    public bool TcpOnly { get; set; }

    /// <inheritdoc />
    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(MethodInfo testMethod, DisposalTracker disposalTracker)
    {
        IEnumerable<object[]> rows = [[]];
        foreach (ParameterInfo parameter in testMethod.GetParameters())
        {
            IReadOnlyList<object> candidates = CandidatesOf(parameter.ParameterType);
            rows = rows.SelectMany(row => candidates.Select(candidate => (object[])[.. row, candidate])).ToArray();
        }

        return new(rows.Select(row => (ITheoryDataRow)new TheoryDataRow(row)).ToArray());
    }

    /// <inheritdoc />
    public override bool SupportsDiscoveryEnumeration() => true;

    private IReadOnlyList<object> CandidatesOf(Type type)
    {
        if (type == typeof(TransportKind))
        {
            return [.. TransportSetup.Enabled.Cast<object>()];
        }

        if (type == typeof(EndPointKind))
        {
            return TcpOnly ? [EndPointKind.IPv4, EndPointKind.IPv6] : [EndPointKind.IPv4, EndPointKind.IPv6, EndPointKind.Unix];
        }

        return Values;
    }
}

using Xunit.v3;

namespace Ioxide.TestKit;

/// <summary>
/// Continuous integration has no time for these tests: a script runs them, and docs/trust.md says when it last did. <c>./test.sh</c> runs them too.
/// </summary>
/// <param name="command">What runs them.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class OnRequestAttribute(string command) : Attribute, ITraitAttribute
{
    /// <summary>What runs them.</summary>
    public string Command => command;

    /// <inheritdoc />
    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() => [new("OnRequest", "true")];
}

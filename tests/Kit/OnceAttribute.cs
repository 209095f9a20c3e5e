using Xunit.v3;

namespace Ioxide.TestKit;

/// <summary>
/// Continuous integration runs these tests in Release alone. They look at what is the same in Debug (documents, tables, pages, programs of others), or they
/// are slow and other tests pass the same assertions. <c>./test.sh</c> runs them in either configuration.
/// </summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Method)]
public sealed class OnceAttribute : Attribute, ITraitAttribute
{
    /// <inheritdoc />
    public IReadOnlyCollection<KeyValuePair<string, string>> GetTraits() => [new("Once", "true")];
}

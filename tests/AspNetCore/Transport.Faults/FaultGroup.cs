namespace Ioxide.AspNetCore.Tests;

/// <summary>Descriptors, unobserved exceptions and a user's locked memory belong to more than one test.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class FaultGroup
{
    internal const string Name = "Faults";
}

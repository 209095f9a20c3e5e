namespace Ioxide.Do;

/// <summary>A process of tests.</summary>
/// <param name="Project">The project whose program it is.</param>
/// <param name="Name">What its results are called.</param>
/// <param name="Filter">The runner's arguments that select its tests.</param>
internal sealed record TestRun(TestProject Project, string Name, string[] Filter);

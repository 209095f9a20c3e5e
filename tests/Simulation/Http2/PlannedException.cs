namespace Ioxide.Simulation;

/// <summary>A handler throws it because its seed says so.</summary>
internal sealed class PlannedException : Exception;

namespace Ioxide.Simulation;

/// <summary>An invariant does not hold. The message says which, and where in the run.</summary>
internal sealed class ViolationException(string message) : Exception(message);

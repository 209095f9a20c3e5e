namespace Ioxide.Fuzz;

/// <summary>A reader answered what it may not.</summary>
/// <param name="what">What.</param>
internal sealed class FindingException(string what) : Exception(what);

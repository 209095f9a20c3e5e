namespace Ioxide.Compare;

/// <summary>A run that must not be counted: it measured errors, or not the side that was asked for.</summary>
internal sealed class RefusedException(string reason) : Exception(reason);

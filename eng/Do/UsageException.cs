namespace Ioxide.Do;

/// <summary>What was asked for cannot be done; the message says what can.</summary>
internal sealed class UsageException(string message) : Exception(message);

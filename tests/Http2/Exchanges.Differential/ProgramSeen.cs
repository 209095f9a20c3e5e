namespace Ioxide.Http2.Tests;

/// <summary>What the client, the handler and the log saw of a program, or of its part before something had no end.</summary>
internal sealed record ProgramSeen(string Text, bool HasEnd, bool IsElsewhere, bool IsStuck);

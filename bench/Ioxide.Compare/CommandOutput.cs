namespace Ioxide.Compare;

/// <summary>What a program left behind.</summary>
internal readonly record struct CommandOutput(int ExitCode, string Output, string Error);

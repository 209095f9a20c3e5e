namespace Ioxide.Http2.Tests;

/// <summary>One field of a header block, its bytes as Latin-1.</summary>
internal sealed record Field(string Name, string Value, bool IsNeverIndexed = false);

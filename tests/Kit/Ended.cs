namespace Ioxide.TestKit;

/// <summary>What came until the connection ended, and how it ended.</summary>
internal sealed record Ended(byte[] Bytes, Ending Ending);

namespace Ioxide.Pg;

/// <summary>What a NOTIFY brought, or that some may have been missed.</summary>
/// <param name="Channel">The channel.</param>
/// <param name="Payload">The text that was sent with it; empty without.</param>
/// <param name="ProcessId">The server's process that sent it.</param>
/// <param name="IsGap">
/// The connection was lost and is there again, or the reader was too slow: notifications may be missing before this one, which itself
/// carries nothing. What is derived from them has to be read anew.
/// </param>
public readonly record struct PgNotification(string Channel, string Payload, int ProcessId, bool IsGap)
{
    internal static PgNotification Gap(string channel) => new(channel, "", 0, IsGap: true);
}

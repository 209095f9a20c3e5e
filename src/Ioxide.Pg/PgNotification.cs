namespace Ioxide.Pg;

/// <summary>A notification of NOTIFY, or a gap where notifications may be missing.</summary>
/// <param name="Channel">The channel.</param>
/// <param name="Payload">The payload; empty if there is none.</param>
/// <param name="ProcessId">The process of the server that sent it.</param>
/// <param name="IsGap">
/// True: the connection was lost and opened again, or the reader was too slow. Notifications before this one may be missing, and this one
/// carries no data. Read any state that depends on notifications again.
/// </param>
public readonly record struct PgNotification(string Channel, string Payload, int ProcessId, bool IsGap)
{
    internal static PgNotification Gap(string channel) => new(channel, "", 0, IsGap: true);
}

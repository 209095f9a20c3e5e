namespace Ioxide.Pg;

/// <summary>What <see cref="AtHandSlot"/> asks of a connection of the driver.</summary>
internal sealed class ServerConnection
{
    internal bool IsClean { get; init; } = true;

    internal bool IsTooOld { get; init; }
}

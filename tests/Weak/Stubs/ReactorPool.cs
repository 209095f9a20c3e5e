namespace Ioxide.Pg;

/// <summary>What <see cref="AtHandSlot"/> asks of the driver's pool.</summary>
internal sealed class ReactorPool
{
    private bool _isWanted;

    /// <summary>Others wait for a connection.</summary>
    internal bool IsWanted
    {
        get => Volatile.Read(ref _isWanted);
        set => Volatile.Write(ref _isWanted, value);
    }

    internal bool IsToClear { get; init; }

    internal Reactor Reactor { get; init; } = null!; // No connection here is unclean, so none goes back to it.

    internal void GiveBack(ServerConnection connection) => throw new UnreachableException($"{this} takes back {connection}");
}

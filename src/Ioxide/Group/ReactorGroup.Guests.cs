namespace Ioxide;

/// <summary>Guests: objects on the reactors that the group closes, because no other owner does.</summary>
public sealed partial class ReactorGroup
{
    private readonly List<Func<Task>> _guests = [];
    private bool _isStopping;

    /// <summary>Runs <paramref name="close"/> when the group stops, before it waits for its connections.</summary>
    /// <returns>False if the group is already stopping and will not call it.</returns>
    internal bool TryAddGuest(Func<Task> close)
    {
        lock (_lock)
        {
            if (_isStopping)
            {
                return false;
            }

            _guests.Add(close);
            return true;
        }
    }

    internal void RemoveGuest(Func<Task> close)
    {
        lock (_lock)
        {
            _guests.Remove(close);
        }
    }

    private Task CloseGuestsAsync()
    {
        Func<Task>[] guests;
        lock (_lock)
        {
            _isStopping = true;
            guests = [.. _guests];
            _guests.Clear();
        }

        return Task.WhenAll(guests.Select(static close => close()));
    }
}

using System.Collections.Concurrent;
using System.Collections.Immutable;
using Ioxide;

/// <summary>Who listens to which channel. Sessions of all reactors use it, and each is told on its own reactor.</summary>
internal sealed class Channels
{
    private readonly ConcurrentDictionary<string, ImmutableHashSet<Session>> _listeners = new();

    internal void Add(string channel, Session session)
        => _listeners.AddOrUpdate(channel, static (_, added) => [added], static (_, all, added) => all.Add(added), session);

    internal void Remove(string channel, Session session)
    {
        // An empty channel goes only as it was seen: a session that is added meanwhile stays.
        ImmutableHashSet<Session> left = _listeners.AddOrUpdate(
            channel, static (_, _) => [], static (_, all, removed) => all.Remove(removed), session);
        if (left.IsEmpty)
        {
            _listeners.TryRemove(new(channel, left));
        }
    }

    /// <summary>Gives the number of sessions that are told. A post allocates nothing; what a slow reactor has not run yet waits there.</summary>
    internal int Publish(string channel, string message)
    {
        int told = 0;
        foreach (Session session in _listeners.GetValueOrDefault(channel) ?? [])
        {
            told += session.Reactor.TryEnqueue(WorkItem.Of(session, message, static (session, message) => session.Deliver(message))) ? 1 : 0;
        }

        return told;
    }
}

using System.Collections.Concurrent;

namespace Ioxide.Pg.Data;

/// <summary>The data sources behind connection strings: one for each string and group of reactors.</summary>
/// <remarks>A data source without connections is closed when another is created; all end with their reactors. Threads: any.</remarks>
internal static class SharedSources
{
    private static readonly ConcurrentDictionary<(string Key, ReactorGroup Group), PgDbDataSource> s_sources = new();

    /// <summary>Returns the data source of a string for the calling thread.</summary>
    /// <exception cref="RingUnavailableException">The host refuses io_uring and epoll.</exception>
    internal static PgDbDataSource Get(ConnectionText text)
    {
        ReactorGroup group = ProcessReactors.Get();
        if (text.LastSource is { IsClosed: false } last && ReferenceEquals(last.Group, group))
        {
            return last;
        }

        if (!s_sources.TryGetValue((text.Key, group), out PgDbDataSource? source) || source.IsClosed)
        {
            source = Add(text, group);
        }

        return text.LastSource = source;
    }

    /// <summary>Closes idle connections of a string, on all reactors.</summary>
    internal static void Clear(ConnectionText text)
    {
        foreach (((string key, _), PgDbDataSource source) in s_sources)
        {
            if (key == text.Key)
            {
                source.Clear();
            }
        }
    }

    internal static void ClearAll()
    {
        foreach ((_, PgDbDataSource source) in s_sources)
        {
            source.Clear();
        }
    }

    internal static void Remove(PgDbDataSource source)
    {
        foreach (KeyValuePair<(string, ReactorGroup), PgDbDataSource> pair in s_sources)
        {
            if (ReferenceEquals(pair.Value, source))
            {
                s_sources.TryRemove(pair);
            }
        }
    }

    private static PgDbDataSource Add(ConnectionText text, ReactorGroup group)
    {
        foreach ((_, PgDbDataSource idle) in s_sources)
        {
            // A caller that has found it, and opens nothing yet, finds it closed and comes here again.
            idle.CloseIfUnused();
        }

        var made = new PgDbDataSource(text, group, isShared: true);
        while (true)
        {
            PgDbDataSource source = s_sources.GetOrAdd((text.Key, group), made);
            if (!source.IsClosed)
            {
                return source;
            }

            Remove(source);
        }
    }
}

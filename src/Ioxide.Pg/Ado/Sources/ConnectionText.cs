using System.Collections.Concurrent;

namespace Ioxide.Pg.Data;

/// <summary>A parsed connection string. Immutable. Threads: any.</summary>
internal sealed class ConnectionText
{
    /// <summary>The usual default of ADO.NET providers.</summary>
    private const int DefaultMaxConnections = 100;

    private const int MaxKept = 1024;

    private static readonly ConcurrentDictionary<string, ConnectionText> s_known = new(StringComparer.Ordinal);

    private ConnectionText(string text)
    {
        Text = text;
        PgDataSourceOptions options = PgDataSourceOptions.Parse(text);
        var builder = PgDbConnectionStringBuilder.Of(options);
        Key = builder.ConnectionString;
        VisibleText = !options.PersistSecurityInfo && builder.RemoveSecrets() ? builder.ConnectionString : text;
        if (options.MaxPerReactorSet is null)
        {
            options.MaxConnections ??= DefaultMaxConnections;
        }

        // As many wait as call, each for Timeout.
        options.QueueLimitSet ??= int.MaxValue;
        Options = options;
    }

    /// <summary>As the application wrote it.</summary>
    internal string Text { get; }

    /// <summary>The same for every spelling of the same options.</summary>
    internal string Key { get; }

    /// <summary>The text that is shown after a connection was opened.</summary>
    internal string VisibleText { get; }

    /// <summary>The options as written, without the environment.</summary>
    internal PgDataSourceOptions Options { get; }

    /// <summary>The data source that it used last.</summary>
    internal PgDbDataSource? LastSource { get; set; }

    /// <exception cref="ArgumentException">The text is malformed.</exception>
    internal static ConnectionText Get(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (s_known.TryGetValue(text, out ConnectionText? known))
        {
            return known;
        }

        if (s_known.Count >= MaxKept)
        {
            // The program generates strings. Those in use are parsed again.
            s_known.Clear();
        }

        return s_known.GetOrAdd(text, static text => new ConnectionText(text));
    }
}

using System.Collections.Concurrent;

namespace Ioxide.Pg.Data;

/// <summary>A connection string that was read once. Threads: any; it does not change.</summary>
internal sealed class ConnectionText
{
    /// <summary>What ADO.NET's providers allow where the string does not say it.</summary>
    private const int DefaultMaxConnections = 100;

    private const int MaxKept = 1024;

    private static readonly ConcurrentDictionary<string, ConnectionText> s_known = new(StringComparer.Ordinal);

    private ConnectionText(string text)
    {
        Text = text;
        PgDataSourceOptions options = PgDataSourceOptions.Parse(text);
        var builder = PgDbConnectionStringBuilder.Of(options);
        Key = builder.ConnectionString;
        bool hasSecret = options.Password is not null || options.ClientKeyPassword is not null;
        VisibleText = options.PersistSecurityInfo || !hasSecret ? text : builder.WithoutSecrets().ConnectionString;
        if (options.MaxPerReactorSet is null)
        {
            options.MaxConnections ??= DefaultMaxConnections;
        }

        Options = options;
    }

    /// <summary>As the application wrote it.</summary>
    internal string Text { get; }

    /// <summary>The same for every way to write the same options.</summary>
    internal string Key { get; }

    /// <summary>What is shown once a connection was opened.</summary>
    internal string VisibleText { get; }

    /// <summary>As written: the environment is not asked yet.</summary>
    internal PgDataSourceOptions Options { get; }

    /// <summary>The data source that served it last.</summary>
    internal PgDbDataSource? LastSource { get; set; }

    /// <exception cref="ArgumentException">It is malformed.</exception>
    internal static ConnectionText Get(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (s_known.TryGetValue(text, out ConnectionText? known))
        {
            return known;
        }

        if (s_known.Count >= MaxKept)
        {
            // A program that makes strings: what is in use is read again.
            s_known.Clear();
        }

        return s_known.GetOrAdd(text, static text => new ConnectionText(text));
    }
}

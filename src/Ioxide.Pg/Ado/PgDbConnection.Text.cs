using System.Data;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>The connection string, and its data source.</summary>
public partial class PgDbConnection
{
    // The data source that created it; null after a connection string was set.
    private PgDbDataSource? _bound;
    private PgDbDataSource? _source;
    private ConnectionText? _text;
    private bool _wasOpened;

    /// <summary>
    /// The connection string. It can be set while the connection is closed. After the connection was opened it omits the password, unless
    /// <c>Persist Security Info</c> is set; a connection of a data source never shows one.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is set while the connection is open.</exception>
    /// <exception cref="ArgumentException">It is set to a malformed string.</exception>
    [AllowNull]
    public override string ConnectionString
    {
        get => _text is not null ? (_wasOpened ? _text.VisibleText : _text.Text) : _bound?.ConnectionString ?? "";
        set
        {
            ThrowIfDisposed();
            if (_session is not null)
            {
                throw new InvalidOperationException("The connection string can be set while the connection is closed only. Close it first.");
            }

            _text = string.IsNullOrEmpty(value) ? null : ConnectionText.Get(value);
            _bound = _source = null;
            _wasOpened = false;
        }
    }

    /// <summary>The database; empty if it is not known.</summary>
    public override string Database => Options is { } options ? options.Database ?? options.Username ?? "" : "";

    /// <summary>The server that it is connected to; while it is closed, the first host of the options.</summary>
    public override string DataSource => _session?.Connection.Endpoint.ToString() ?? Options?.Hosts.FirstOrDefault()?.ToString() ?? "";

    internal string? HostName => (_session?.Connection.Endpoint.Host ?? Options?.Hosts.FirstOrDefault())?.Name;

    /// <summary>Seconds that one host may take until the session is ready; 0 means no limit. Defaults to 15.</summary>
    public override int ConnectionTimeout => (int)(Options?.ConnectTimeout.TotalSeconds ?? 15);

    internal PgDbDataSource Source => _source ?? throw new InvalidOperationException("The connection is not open.");

    /// <summary>The timeout of commands that do not set one.</summary>
    internal TimeSpan DefaultCommandTimeout => Options?.CommandTimeout ?? TimeSpan.FromSeconds(30);

    // Complete once there is a data source; before that, as written.
    private PgDataSourceOptions? Options => _bound?.Source.Options ?? (_session is null ? _text?.Options : Source.Source.Options);

    /// <summary>Closes the idle connections of the connection's string or data source now, and busy ones when they are returned.</summary>
    public static void ClearPool(PgDbConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (connection._text is { } text)
        {
            SharedSources.Clear(text);
        }
        else
        {
            connection._bound?.Clear();
        }
    }

    /// <summary>Does the same for all connection strings, but not for data sources that the application created.</summary>
    public static void ClearAllPools() => SharedSources.ClearAll();

    /// <summary>
    /// Closes the connection and opens one to another database of the same server. One that a data source made leaves it, and its pools, for those of
    /// its connection string: types that are mapped in that data source are not mapped there.
    /// </summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    /// <exception cref="NotSupportedException">The data source has options that no connection string holds.</exception>
    public override void ChangeDatabase(string databaseName)
    {
        ArgumentException.ThrowIfNullOrEmpty(databaseName);
        if (State != ConnectionState.Open || Options is not { } options)
        {
            throw new InvalidOperationException("The connection is not open.");
        }

        if (options.PasswordProvider is not null || options.TokenProvider is not null || options.RuntimeParameters.Count > 0)
        {
            throw new NotSupportedException(
                $"The connection's data source has a {nameof(options.PasswordProvider)}, a {nameof(options.TokenProvider)} or "
                    + $"{nameof(options.RuntimeParameters)}, which no connection string holds. Make a data source for the other database.");
        }

        var builder = PgDbConnectionStringBuilder.Of(_text?.Options ?? options);
        builder.Database = databaseName;
        Close();
        ConnectionString = builder.ConnectionString;
        Open();
    }

    /// <summary>A closed connection with the same data source or connection string.</summary>
    object ICloneable.Clone()
    {
        PgDbConnection copy = this is NpgsqlConnection ? new NpgsqlConnection() : new PgDbConnection();
        copy._bound = _bound;
        copy._source = _bound;
        copy._text = _text;
        return copy;
    }

    private PgDbDataSource FindSource()
        => _bound ?? SharedSources.Get(
            _text ?? throw new InvalidOperationException("The connection has no connection string. Set ConnectionString first."));
}
